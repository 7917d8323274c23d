import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';
import { type FakeUpstream, registryOf, startUpstream } from './fake-upstream.ts';
import { type StartedRegistry, type StartOptions, startRegistry } from './start-registry.ts';

/** How to close what a test has opened: done after each test, the latest first. */
export const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

export async function openUpstream(count: number): Promise<FakeUpstream> {
  const upstream = await startUpstream(registryOf(count));
  opened.push(() => upstream.close());
  return upstream;
}

export async function openRegistry(options: StartOptions): Promise<StartedRegistry> {
  const registry = await startRegistry(options);
  opened.push(() => registry.close());
  return registry;
}

export function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-data-'));
  opened.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
