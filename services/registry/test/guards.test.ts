import { createHash } from 'node:crypto';
import { testRedisUrl } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { registryKeys } from '../src/keys.ts';
import { parseSources, sourcesKey } from '../src/upstream/source.ts';
import { registryOf, send } from './fake-upstream.ts';
import { opened, openRegistry, openUpstream } from './opened.ts';
import { type StartedRegistry, startRegistry } from './start-registry.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const skillsOf = async (registry: StartedRegistry) => (await registry.status()).counts.skills;
const untilCount = (registry: StartedRegistry, count: number) =>
  until(() => skillsOf(registry), { holds: (found) => found === count });

describe('a snapshot that has lost too much', () => {
  test('is refused aloud: in the status with what an operator may accept, and in the metrics', async () => {
    const upstream = await openUpstream(40);
    const registry = await openRegistry({ source: upstream.url, refreshMs: 200 });
    await untilCount(registry, 40);
    upstream.serve(registryOf(19));
    const status = await until(registry.status, { holds: ({ last_error }) => last_error?.code === 'shrunk' });
    expect(status.last_error?.message).toMatch(/19.* 40/);
    const [source] = status.sources;
    expect(source?.refused).toMatchObject({
      code: 'shrunk',
      snapshot_id: sha256(JSON.stringify(registryOf(19))),
    });
    expect(source).toMatchObject({ records: 40, snapshot_id: status.snapshot_id });
    const metrics = async () => (await registry.http.get('/metrics').expect(200)).text;
    expect(await metrics()).toMatch(/^registry_snapshot_refused 1$/m);
    expect(await metrics()).toMatch(/^registry_checks_total\{outcome="shrunk"\} \d+$/m);
    expect(await metrics()).toMatch(/^registry_skills 40$/m);
    upstream.serve(registryOf(41));
    await untilCount(registry, 41);
    expect((await registry.status()).sources[0]?.refused).toBeNull();
    expect(await metrics()).toMatch(/^registry_snapshot_refused 0$/m);
  });

  test('is served once an operator accepts it, and by every replica', async () => {
    const upstream = await openUpstream(40);
    const first = await openRegistry({ source: upstream.url });
    await untilCount(first, 40);
    upstream.serve(registryOf(19));
    await first.refresh();
    const accept = (await first.status()).sources[0]?.refused?.snapshot_id;
    const second = await openRegistry({ source: upstream.url, prefix: first.prefix, accept });
    await second.refresh();
    expect(await second.status()).toMatchObject({ stale: false, last_error: null, counts: { skills: 19 } });
    await untilCount(first, 19);
  });

  test('is left alone for as long as its source asks for by Retry-After, though an operator accepts it', async () => {
    const upstream = await openUpstream(40);
    const first = await openRegistry({ source: upstream.url });
    await untilCount(first, 40);
    upstream.serve(registryOf(19));
    await first.refresh();
    const accept = (await first.status()).sources[0]?.refused?.snapshot_id;
    upstream.answer = (_req, res) => send(res, 429, '{}', { 'retry-after': '3600' });
    const second = await openRegistry({ source: upstream.url, prefix: first.prefix, accept });
    await second.refresh();
    const asked = upstream.requests.length;
    await second.refresh();
    expect(upstream.requests).toHaveLength(asked);
    expect(await second.status()).toMatchObject({ last_error: { code: 'rate_limited' }, counts: { skills: 40 } });
  });

  test('is judged anew by a new process where what it was judged against is lost', async () => {
    const upstream = await openUpstream(40);
    const first = await startRegistry({ source: upstream.url });
    await untilCount(first, 40);
    upstream.serve(registryOf(19));
    await first.refresh();
    expect(await first.status()).toMatchObject({ last_error: { code: 'shrunk' } });
    await first.close();
    const redis = new Redis(testRedisUrl());
    opened.push(() => redis.disconnect());
    const keys = registryKeys(first.prefix);
    const sources = sourcesKey(parseSources(upstream.url));
    // Without the closed replica in Redis, the new one does not wait for it.
    expect(await redis.del(keys.snapshot(sources), keys.replicas(sources))).toBe(2);
    const second = await openRegistry({ source: upstream.url, prefix: first.prefix });
    await second.refresh();
    expect(await second.status()).toMatchObject({ last_error: null, counts: { skills: 19 } });
  });
});

test('sources none of which can be used are each refused for their own fault', async () => {
  const [one, two] = [await openUpstream(0), await openUpstream(0)];
  one.answer = (_req, res) => send(res, 200, '<!doctype html><title>Maintenance</title>');
  two.serve({ message: 'moved' });
  const registry = await openRegistry({ source: `${one.url},${two.url}` });
  await registry.refresh();
  const { sources } = await registry.status();
  expect(sources.map(({ refused, last_error }) => [refused?.code, refused?.snapshot_id, last_error?.code])).toEqual([
    ['html', sha256('<!doctype html><title>Maintenance</title>'), 'html'],
    ['unknown_shape', sha256('{"message":"moved"}'), 'unknown_shape'],
  ]);
});
