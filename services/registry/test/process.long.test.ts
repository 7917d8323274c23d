import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { fails, registryOf } from './fake-upstream.ts';
import { opened, openFolder, openUpstream } from './opened.ts';

async function spawnRegistry(env: NodeJS.ProcessEnv): Promise<{ child: Child; url: string }> {
  const port = await freePort();
  const main = join(import.meta.dirname, '../src/main.ts');
  const child = startChild(process.execPath, [main], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      REDIS_URL: testRedisUrl(),
      LOG_LEVEL: 'error',
      ...env,
    },
    output: 'inherit',
  });
  opened.push(() => child.kill());
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isReady, { holds: Boolean });
  return { child, url };
}

const count = (url: string) => async () => ((await (await fetch(`${url}/api/skills`)).json()) as unknown[]).length;

test('loses no snapshot when it is killed with -9, and goes on refreshing', async () => {
  const upstream = await openUpstream(50);
  const env = {
    REDIS_PREFIX: uniquePrefix('killed'),
    REGISTRY_SOURCE_URL: upstream.url,
    REGISTRY_REFRESH_SECONDS: '1',
    DATA_DIR: openFolder(),
  };
  const { child, url } = await spawnRegistry(env);
  await until(count(url), { holds: (skills) => skills === 50 });
  await child.kill();
  fails(upstream);
  const again = await spawnRegistry(env);
  expect(await count(again.url)()).toBe(50);
  upstream.serve(registryOf(60));
  await until(count(again.url), { holds: (skills) => skills === 60 });
});

test('takes over the refresh in which another was killed with -9', async () => {
  const upstream = await openUpstream(50);
  upstream.answer = () => {};
  const env = { REDIS_PREFIX: uniquePrefix('taken-over'), REGISTRY_SOURCE_URL: upstream.url };
  const { child } = await spawnRegistry(env);
  expect(upstream.requests).toHaveLength(1);
  await child.kill();
  upstream.serve(registryOf(60));
  const { url } = await spawnRegistry(env);
  await until(count(url), { holds: (skills) => skills === 60 });
});

test('stops within a moment on SIGTERM, also in the middle of a fetch', async () => {
  const upstream = await openUpstream(50);
  upstream.answer = () => {};
  const { child } = await spawnRegistry({ REDIS_PREFIX: uniquePrefix('stopped'), REGISTRY_SOURCE_URL: upstream.url });
  child.signal('SIGTERM');
  expect(await Promise.race([child.exited, sleep(15_000, 'late', { ref: false })])).toMatchObject({ code: 0 });
});

test('names every wrong variable and does not start', async () => {
  const main = join(import.meta.dirname, '../src/main.ts');
  const env = { ...process.env, REGISTRY_SOURCE_URL: 'ftp://user:secret@example.com', REGISTRY_REFRESH_SECONDS: '0' };
  const child = startChild(process.execPath, [main], { env });
  expect(await child.closed).toMatchObject({ code: 1 });
  expect(child.written.stderr).toMatch(/^REGISTRY_SOURCE_URL: must be .*\nREGISTRY_REFRESH_SECONDS: must be /m);
  expect(child.printed()).not.toContain('secret');
});
