import { Writable } from 'node:stream';
import { createLogger } from '@agent-fleet/shared/logger';
import { expect, test } from '@jest/globals';
import { packDocument } from './document.ts';
import { UpstreamError } from './errors.ts';
import { readManifest } from './manifest.ts';

const manifestOf = (shards: readonly unknown[]) =>
  packDocument(Buffer.from(JSON.stringify({ schema_version: 1, shards })));

/** The line of the log for a manifest that cannot be read. */
async function logged(shards: readonly unknown[]): Promise<string> {
  const lines: string[] = [];
  const write = (chunk: unknown, _encoding: unknown, done: () => void) => {
    lines.push(String(chunk));
    done();
  };
  const document = await manifestOf(shards);
  try {
    readManifest(document);
  } catch (error) {
    expect(error).toBeInstanceOf(UpstreamError);
    createLogger('test', 'info', new Writable({ write })).warn({ err: error }, 'bad');
  }
  expect(lines).toHaveLength(1);
  return lines.join('');
}

test('a manifest in which everything is wrong makes a short line in the log, which says what is wrong first', async () => {
  const bad = Array.from({ length: 2_000 }, () => ({ path: '', bytes: -1, sha256: 'x'.repeat(300) }));
  const line = await logged(bad);
  expect(line.length).toBeLessThan(6_000);
  expect(line).toContain('shards.0.path');
});
