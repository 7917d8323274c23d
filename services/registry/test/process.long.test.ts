import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { own } from '@agent-fleet/scripts/testing/own';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { registryOf } from './support/fake-upstream.ts';
import { openUpstream } from './support/open-registry.ts';

const main = join(import.meta.dirname, '../src/main.ts');

async function spawnRegistry(env: NodeJS.ProcessEnv): Promise<{ child: Child; url: string }> {
  const port = await freePort();
  const child = startChild(process.execPath, [main], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: `${port}`,
      METRICS_PORT: '0',
      REDIS_URL: testRedisUrl(),
      LOG_LEVEL: 'error',
      ...env,
    },
    output: 'inherit',
  });
  own(() => child.kill());
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/ready`)).ok);
  return { child, url };
}

const countSkills = async (url: string) => ((await (await fetch(`${url}/api/skills`)).json()) as unknown[]).length;
const untilCount = async (url: string, count: number) =>
  expect(await until(() => countSkills(url), { holds: (found) => found === count })).toBe(count);

test('a process takes over the refresh in which another was killed by SIGKILL', async () => {
  const upstream = await openUpstream(50);
  upstream.answer = () => {};
  const env = { REDIS_PREFIX: uniquePrefix('taken-over'), REGISTRY_SOURCE_URL: upstream.url };
  const { child } = await spawnRegistry(env);
  await until(() => upstream.requests.length === 1);
  await child.kill();
  upstream.serve(registryOf(60));
  const { url } = await spawnRegistry(env);
  await untilCount(url, 60);
});

test('a process stops at once on SIGTERM, also in the middle of a fetch', async () => {
  const upstream = await openUpstream(50);
  upstream.answer = () => {};
  const { child } = await spawnRegistry({ REDIS_PREFIX: uniquePrefix('stopped'), REGISTRY_SOURCE_URL: upstream.url });
  child.signal('SIGTERM');
  expect(await Promise.race([child.exited, sleep(15_000, 'late', { ref: false })])).toMatchObject({ code: 0 });
});

test('a process with wrong variables names each and exits', async () => {
  const env = { ...process.env, REGISTRY_SOURCE_URL: 'ftp://user:secret@example.com', REGISTRY_REFRESH_SECONDS: '0' };
  const child = startChild(process.execPath, [main], { env });
  expect(await child.closed).toMatchObject({ code: 1 });
  expect(child.written.stderr).toMatch(/^REGISTRY_SOURCE_URL: must be .*\nREGISTRY_REFRESH_SECONDS: must be /m);
  expect(child.printed()).not.toContain('secret');
});
