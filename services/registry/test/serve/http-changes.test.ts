import { expect, test } from '@jest/globals';
import { registryOf } from '../support/fake-upstream.ts';
import { openServing } from '../support/open-registry.ts';
import type { StartedRegistry } from '../support/start-registry.ts';

const { skills } = registryOf(40);
const changed = { ...(skills[0] as object), description: 'Another one.' };
const second = [changed, ...skills.slice(1), { id: 'new', name: 'new' }];
const third = [changed, ...skills.slice(2), { id: 'newer', name: 'newer' }];

const changes = async (registry: StartedRegistry, since: string) =>
  (await registry.http.get(`/api/changes?since=${since}`).expect(200)).body;

/** A registry that has served forty skills, then several changed lists. */
async function openChanged(...later: unknown[][]) {
  const { upstream, registry } = await openServing(40);
  const snapshots = [(await registry.status()).snapshot_id];
  for (const next of later) {
    upstream.serve({ skills: next });
    await registry.refresh();
    snapshots.push((await registry.status()).snapshot_id);
  }
  return { registry, snapshots: snapshots as [string, string, string] };
}

test('the changes since a snapshot are the net changes of its skills', async () => {
  const { registry, snapshots } = await openChanged(second, third);
  const [first, middle, latest] = snapshots;
  const net = { added: ['newer'], changed: ['skill-0'], removed: ['skill-1'] };
  expect(await changes(registry, first)).toEqual({ from: first, to: latest, latest, ...net });
  const { added, changed, removed } = await changes(registry, middle);
  expect([added, changed, removed.toSorted()]).toEqual([['newer'], [], ['new', 'skill-1']]);
  const none = { added: [], changed: [], removed: [] };
  expect(await changes(registry, latest)).toEqual({ from: latest, to: latest, latest, ...none });
});

test('a limit splits the changes into pages, linked by the Link header', async () => {
  const { registry, snapshots } = await openChanged(second, third);
  const [first, middle, latest] = snapshots;
  const part = await registry.http.get(`/api/changes?since=${first}&limit=1`).expect(200);
  expect(part.body).toMatchObject({ from: first, to: middle, latest, added: ['new'], changed: ['skill-0'] });
  const next = /^<([^>]*)>; rel="next"$/.exec(part.headers.link ?? '')?.[1];
  expect((await registry.http.get(next ?? '').expect(200)).body).toMatchObject({ from: middle, to: latest });
});

test('the changes since a snapshot can be revalidated', async () => {
  const { registry, snapshots } = await openChanged(second);
  const path = `/api/changes?since=${snapshots[0]}`;
  const { etag = '' } = (await registry.http.get(path).expect(200)).headers;
  await registry.http.get(path).set({ 'If-None-Match': etag }).expect(304);
  const other = await registry.http.get(`/api/changes?since=${snapshots[1]}`).expect(200);
  expect(other.headers.etag).not.toBe(etag);
});
