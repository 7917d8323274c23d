import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import type { RegistryStatus } from '../src/snapshots/contract.ts';
import { registryOf } from './fake-upstream.ts';
import { openRegistry, openUpstream } from './opened.ts';
import type { StartedRegistry } from './start-registry.ts';

const { skills } = registryOf(40);

/** The snapshot, once it is another than that before. */
async function snapshotOf(registry: StartedRegistry, ...before: string[]): Promise<string> {
  const isNew = ({ source, snapshot_id }: RegistryStatus) => source !== 'shipped' && !before.includes(snapshot_id);
  return (await until(registry.status, { holds: isNew, timeoutMs: 60_000 })).snapshot_id;
}

const changes = async (registry: StartedRegistry, since: string, more = '') =>
  (await registry.http.get(`/api/changes?since=${since}${more}`).expect(200)).body;

/** A registry that has served forty skills and then, one after the other, other ones. */
async function openChanged(...later: unknown[][]) {
  const upstream = await openUpstream(40);
  const registry = await openRegistry({ source: upstream.url });
  const snapshots = [await snapshotOf(registry)];
  for (const next of later) {
    upstream.serve({ skills: next });
    await registry.refresh();
    snapshots.push(await snapshotOf(registry, ...snapshots));
  }
  return { registry, snapshots };
}

const changed = { ...(skills[0] as object), description: 'Another one.' };
const [second, third] = [
  [changed, ...skills.slice(1), { id: 'new', name: 'new' }],
  [changed, ...skills.slice(2), { id: 'newer', name: 'newer' }],
];

describe('the changes since a snapshot', () => {
  test('are what was added, changed and removed on the whole', async () => {
    const { registry, snapshots } = await openChanged(second, third);
    const [first, middle, latest] = snapshots as [string, string, string];
    expect(await changes(registry, first)).toEqual({
      ...{ from: first, to: latest, latest },
      ...{ added: ['newer'], changed: ['skill-0'], removed: ['skill-1'] },
    });
    expect(await changes(registry, middle)).toMatchObject({
      added: ['newer'],
      changed: [],
      removed: expect.any(Array),
    });
    expect((await changes(registry, middle)).removed.toSorted()).toEqual(['new', 'skill-1']);
    expect(await changes(registry, latest)).toEqual({
      ...{ from: latest, to: latest, latest },
      ...{ added: [], changed: [], removed: [] },
    });
  });

  test('come in parts where a limit is given, by links', async () => {
    const { registry, snapshots } = await openChanged(second, third);
    const [first, middle, latest] = snapshots as [string, string, string];
    const part = await registry.http.get(`/api/changes?since=${first}&limit=1`).expect(200);
    expect(part.body).toMatchObject({ from: first, to: middle, latest, added: ['new'], changed: ['skill-0'] });
    const next = /^<([^>]*)>; rel="next"$/.exec(part.headers.link ?? '')?.[1];
    expect((await registry.http.get(next ?? '').expect(200)).body).toMatchObject({ from: middle, to: latest });
  });

  test('can be revalidated until there are others', async () => {
    const { registry, snapshots } = await openChanged(second);
    const path = `/api/changes?since=${snapshots[0]}`;
    const { headers } = await registry.http.get(path).expect(200);
    await registry.http
      .get(path)
      .set('If-None-Match', headers.etag ?? '')
      .expect(304);
    const other = await registry.http.get(`/api/changes?since=${snapshots[1]}`).expect(200);
    expect(other.headers.etag).not.toBe(headers.etag);
  });
});
