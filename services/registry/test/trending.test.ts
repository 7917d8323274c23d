import { own } from '@agent-fleet/scripts/testing/own';
import { expect, test } from '@jest/globals';
import { XMLParser } from 'fast-xml-parser';
import { startUpstream } from './support/fake-upstream.ts';
import { openRegistry, untilSkills } from './support/open-registry.ts';
import { openFolder, openRedis } from './support/opened.ts';
import type { StartedRegistry } from './support/start-registry.ts';

const skill = (name: string, stars: number) => ({ name, repo: `owner/${name}`, path: name, description: name, stars });

async function openUpstreams(...documents: unknown[][]) {
  const upstreams = await Promise.all(documents.map((document) => startUpstream(document)));
  for (const upstream of upstreams) own(() => upstream.close());
  return { upstreams, source: upstreams.map(({ url }) => url).join(',') };
}

const namesBy = async ({ http }: StartedRegistry, sort: string) =>
  (await http.get(`/api/skills?sort=${sort}`).expect(200)).body.map(({ name }: { name: string }) => name);

/** The ids of the feed and its entries. */
async function feedIds({ http }: StartedRegistry): Promise<string[]> {
  const { text } = await http.get('/api/feed.atom').buffer(true).expect(200);
  const { feed } = new XMLParser({ isArray: (name) => name === 'entry' }).parse(text);
  return [feed.id, ...(feed.entry ?? []).map(({ id }: { id: string }) => id)];
}

test('skills with new stars, new sources or new themselves come first by trend, on all replicas and after a restart', async () => {
  const known = [skill('a', 1), skill('b', 500), skill('c', 2), skill('d', 3)];
  const { upstreams, source } = await openUpstreams(known, [skill('e', 0)]);
  const [first, second] = upstreams;
  const dataDir = openFolder();
  const registry = await openRegistry({ source, dataDir });
  await untilSkills(registry, 5);
  expect(await namesBy(registry, 'trending')).toEqual(['b', 'd', 'c', 'a', 'e']);

  const [feedId] = await feedIds(registry);
  first?.serve([skill('a', 8), ...known.slice(1), skill('f', 0)]);
  second?.serve([skill('e', 0), skill('c', 2)]);
  await registry.refresh();
  const trending = ['f', 'a', 'c', 'b', 'd', 'e'];
  expect(await namesBy(registry, 'trending')).toEqual(trending);
  const ids = await feedIds(registry);
  expect(new Set(ids).size).toBe(2);
  expect(ids[0]).toBe(feedId);

  const { prefix } = registry;
  const other = await openRegistry({ source: second?.url, prefix });
  await untilSkills(other, 2);
  expect((await feedIds(other))[0]).toBe(feedId);
  await other.close();

  const replica = await openRegistry({ source, prefix });
  expect(await namesBy(replica, 'trending')).toEqual(trending);
  expect(await feedIds(replica)).toEqual(ids);
  await replica.close();
  await registry.close();

  const redis = openRedis();
  const keys = await redis.keys(`${prefix}:*`);
  await redis.del(...keys);
  const restarted = await openRegistry({ source, prefix, dataDir });
  expect(await namesBy(restarted, 'trending')).toEqual(trending);
  expect(await feedIds(restarted)).toEqual(ids);
  second?.serve([]);
  await restarted.refresh();
  expect((await restarted.status()).last_error).toMatchObject({ code: 'shrunk' });
  expect(await namesBy(restarted, 'trending')).toEqual(trending);
});
