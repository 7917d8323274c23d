import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '@agent-fleet/scripts/local/child-process';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { registryText } from './synthetic/synthetic-registry.ts';

const REGISTRY = { seed: 3, count: 300, changes: { changed: 2, added: 1, removed: 1 } };
const PROGRAM = join(import.meta.dirname, 'upstream-process.ts');
const textOf = (edition: number) => [...registryText({ ...REGISTRY, edition })].join('');

test('the source sends an edition in gzip, 304 for its ETag, and the next edition after a switch', async () => {
  const port = await freePort();
  const dir = makeDataDir('registry-upstream-');
  const env = { ...process.env, PORT: String(port), REGISTRY: JSON.stringify(REGISTRY) };
  const upstream = startChild(process.execPath, [PROGRAM], { env, output: { logFile: join(dir, 'log') } });
  const get = (path: string, etag = '') =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'if-none-match': etag } });
  try {
    await until(() => get('/ready'), { message: upstream.printed });
    let etag = '';
    for (const edition of [1, 2]) {
      await get('/prepare');
      expect((await get('/registry.json', etag)).status).toBe(edition === 1 ? 503 : 304);
      await get('/switch');
      const response = await get('/registry.json', etag);
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect((await response.text()) === textOf(edition)).toBe(true);
      etag = response.headers.get('etag') as string;
    }
  } finally {
    await upstream.stop();
    rmSync(dir, { recursive: true });
  }
});
