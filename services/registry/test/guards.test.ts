import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { registryKeys } from '../src/keys.ts';
import { registryOf, send } from './support/fake-upstream.ts';
import { keyOfSources, openRegistry, openServing, untilSkills } from './support/open-registry.ts';
import { openRedis } from './support/opened.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Starts a registry that has refused a snapshot with 19 of 40 skills. */
async function openShrunk() {
  const { upstream, registry } = await openServing(40);
  upstream.serve(registryOf(19));
  await registry.refresh();
  const { last_error, sources } = await registry.status();
  expect(last_error).toMatchObject({ code: 'shrunk', message: expect.stringMatching(/19.* 40/) });
  return { upstream, registry, refused: sources[0]?.refused };
}

test('the status and the metrics report a refused snapshot, and the id that an operator may accept', async () => {
  const { upstream, registry, refused } = await openShrunk();
  expect(refused).toMatchObject({ code: 'shrunk', snapshot_id: sha256(JSON.stringify(registryOf(19))) });
  const { sources, snapshot_id } = await registry.status();
  expect(sources).toMatchObject([{ records: 40, snapshot_id }]);
  const { metrics } = registry;
  expect(await metrics()).toMatch(/^registry_snapshot_refused 1$/m);
  expect(await metrics()).toMatch(/^registry_checks_total\{outcome="shrunk"\} \d+$/m);
  expect(await metrics()).toMatch(/^registry_skills 40$/m);
  upstream.serve(registryOf(41));
  await registry.refresh();
  expect(await registry.status()).toMatchObject({ counts: { skills: 41 }, sources: [{ refused: null }] });
  expect(await metrics()).toMatch(/^registry_snapshot_refused 0$/m);
});

test('every replica serves a refused snapshot once an operator accepts it', async () => {
  const { upstream, registry, refused } = await openShrunk();
  const options = { source: upstream.url, prefix: registry.prefix, accept: refused?.snapshot_id };
  const second = await openRegistry(options);
  await second.refresh();
  expect(await second.status()).toMatchObject({ stale: false, last_error: null, counts: { skills: 19 } });
  await untilSkills(registry, 19);
});

test('an accepted snapshot does not shorten the pause that its source requests by Retry-After', async () => {
  const { upstream, registry, refused } = await openShrunk();
  upstream.answer = (_req, res) => send(res, 429, '{}', { 'retry-after': '3600' });
  const options = { source: upstream.url, prefix: registry.prefix, accept: refused?.snapshot_id };
  const second = await openRegistry(options);
  await second.refresh();
  const requestsBefore = upstream.requests.length;
  await second.refresh();
  expect(upstream.requests).toHaveLength(requestsBefore);
  expect(await second.status()).toMatchObject({ last_error: { code: 'rate_limited' }, counts: { skills: 40 } });
});

test('a new process checks a refused snapshot again if the previous snapshot is lost', async () => {
  const { upstream, registry } = await openShrunk();
  await registry.close();
  const keys = registryKeys(registry.prefix, keyOfSources(upstream.url));
  // Removes the closed replica from Redis, so that the new one does not wait for it.
  expect(await openRedis().del(keys.snapshot, keys.replicas)).toBe(2);
  const second = await openRegistry({ source: upstream.url, prefix: registry.prefix });
  await second.refresh();
  expect(await second.status()).toMatchObject({ last_error: null, counts: { skills: 19 } });
});
