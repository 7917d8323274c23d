import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '@agent-fleet/scripts/local/child-process';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { registryText, type SyntheticRegistry } from './synthetic-registry.ts';

const REGISTRY: Omit<SyntheticRegistry, 'edition'> = {
  seed: 3,
  count: 300,
  changes: { changed: 2, added: 1, removed: 1 },
};
const READY_MS = 20_000;
const dir = makeDataDir('registry-upstream-');
let origin = '';
let upstream: ReturnType<typeof startChild>;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const env = { ...process.env, PORT: String(port), REGISTRY: JSON.stringify(REGISTRY) };
  const program = join(import.meta.dirname, 'upstream-process.ts');
  upstream = startChild(process.execPath, [program], { env, output: { logFile: join(dir, 'log') } });
  const deadline = Date.now() + READY_MS;
  while (!(await fetch(`${origin}/ready`).catch(() => undefined))) {
    if (Date.now() > deadline) throw new Error(upstream.printed());
    await sleep(50);
  }
  await next();
}, 30_000);

afterAll(async () => {
  await upstream.stop();
  rmSync(dir, { recursive: true });
});

async function next(): Promise<void> {
  for (const path of ['/prepare', '/switch']) await fetch(`${origin}${path}`);
}

const textOf = (edition: number) => [...registryText({ ...REGISTRY, edition })].join('');
const get = (headers: Record<string, string> = {}) => fetch(`${origin}/registry.json`, { headers });

test('the source sends the first edition in gzip, and 304 to who has it', async () => {
  const answer = await get();
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect((await answer.text()) === textOf(1)).toBe(true);
  const etag = answer.headers.get('etag') ?? '';
  expect((await get({ 'if-none-match': etag })).status).toBe(304);
});

test('the source serves the next edition once it is told to', async () => {
  const etag = (await get()).headers.get('etag') ?? '';
  await fetch(`${origin}/prepare`);
  expect((await get({ 'if-none-match': etag })).status).toBe(304);
  await fetch(`${origin}/switch`);
  const answer = await get({ 'if-none-match': etag });
  expect(answer.status).toBe(200);
  expect((await answer.text()) === textOf(2)).toBe(true);
});
