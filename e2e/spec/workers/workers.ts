import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import type { Api, Lease } from '../../harness/api.ts';
import { linksOf, listAll, TIMESTAMP } from '../expectations.ts';

const HOSTILE = [
  ...['ä b:c/%41', '👩‍🚀'.repeat(33), '"\\\u2028\u0000', '__proto__', `${'x'.repeat(99)}%`],
  ...['\ud800', "a!~*'()b", 'agent x'],
];

interface Worker {
  worker_id: string;
  last_seen_at: string;
  [field: string]: unknown;
}

/** docs/contract.md "Leases": `GET /workers`. */
export function specifyWorkers(api: Api): void {
  const newName = () => `w-${crypto.randomUUID()}`;
  const readAll = (limit = 1000) => listAll<Worker>(api, `/workers?limit=${limit}`);
  /** Waits until the list has the worker with these fields. */
  async function find(worker_id: string, fields: object = {}): Promise<Worker> {
    const holds = (found: Worker | undefined) => {
      if (!found) return false;
      return JSON.stringify({ ...found, ...fields }) === JSON.stringify(found);
    };
    const read = async () => (await readAll()).find((worker) => worker.worker_id === worker_id);
    return (await until(read, { holds, timeoutMs: 15_000, pollMs: 100 })) as Worker;
  }

  test('a worker has its requests, leases and reports, within seconds', async () => {
    const worker_id = newName();
    const { id } = await api.createAgent({ type: api.types[1] });
    await api.createTasks(id, 3);
    const body = { worker_id, types: [api.types[1]], max_tasks: 20 };
    const own: Lease[] = [];
    while (own.length < 3) {
      const { leases } = (await api.call('POST', '/leases', { body })).json as { leases: Lease[] };
      own.push(...leases.filter(({ task }) => task.agent_id === id));
      for (const lease of leases) if (lease.task.agent_id !== id) await api.release(lease);
    }
    await api.requestLease(id, { worker_id, accepts: ['messages', 'input'] });
    await api.report(own[0] as Lease);
    await api.report(own[0] as Lease);
    await api.report(own[1] as Lease, { status: 'failed', error: { code: 'x', message: 'x', retryable: false } });
    const counts = { types: [api.types[1]], agent_ids: [id], leases: 1, completed: 1, failed: 1 };
    const worker = await find(worker_id, counts);
    expect(worker).toEqual({
      worker_id,
      ...counts,
      first_seen_at: expect.stringMatching(TIMESTAMP),
      last_seen_at: expect.stringMatching(TIMESTAMP),
      polling: true,
      accepts: ['messages', 'input'],
      labels: [],
      paused: [],
      client: expect.stringMatching(/^[\d.:a-f]+$/),
    });
    expect(Object.keys(worker)).toEqual([
      ...['worker_id', 'types', 'agent_ids', 'first_seen_at', 'last_seen_at'],
      ...['polling', 'leases', 'completed', 'failed', 'accepts', 'labels', 'paused', 'client'],
    ]);
    await api.report(own[2] as Lease);
    await find(worker_id, { leases: 0, completed: 2 });
  });

  test('a request that waits counts, and keeps its worker seen', async () => {
    const worker_id = newName();
    const { id } = await api.createAgent();
    const waiting = api.requestLease(id, { worker_id, wait_seconds: 10 });
    const first = await find(worker_id, { polling: true, agent_ids: [id], types: [], leases: 0 });
    await until(async () => (await find(worker_id)).last_seen_at > first.last_seen_at, { timeoutMs: 9_000 });
    expect((await waiting).status).toBe(204);
  });

  test('a heartbeat and a cancelled task do not count as results', async () => {
    const worker_id = newName();
    const lease = await api.createRunning((await api.createAgent()).id, {}, { worker_id });
    await api.heartbeat(lease);
    await api.cancel(lease.task);
    await api.report(lease, { status: 'cancelled' });
    await sleep(1_500);
    expect(await find(worker_id)).toMatchObject({ leases: 0, completed: 0, failed: 0 });
  });

  test.each(HOSTILE)('the worker %j is listed as it is named', async (worker_id) => {
    const { id } = await api.createAgent();
    await api.createRunning(id, {}, { worker_id });
    // Other files have workers of these names, too.
    const find = async () => (await readAll()).filter((worker) => worker.worker_id === worker_id.toWellFormed());
    const found = await until(find, { holds: ([worker]) => [worker?.agent_ids].flat().includes(id) });
    expect(found).toHaveLength(1);
  });

  test('workers are in the order of their names, on pages with totals and links', async () => {
    const { id } = await api.createAgent();
    const names = ['b', 'a', 'c'].map((name) => `${newName()}-${name}`);
    for (const worker_id of names) await api.requestLease(id, { worker_id });
    for (const name of names) await find(name);
    const found = (await readAll(2)).map(({ worker_id }) => worker_id);
    expect(found.filter((name) => names.includes(name))).toEqual(names.toSorted());
    expect(found).toEqual([...new Set(found)].sort());
    const page = await api.get('/workers?limit=1&skip=1');
    expect(Number(page.headers['x-total-count'])).toBeGreaterThanOrEqual(3);
    expect(page.json).toHaveLength(1);
    expect(linksOf(page)).toEqual({ prev: expect.any(String), next: expect.any(String) });
  });
}
