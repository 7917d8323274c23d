import { describe, expect, test } from '@jest/globals';
import { apiKey } from '../../harness/accounts.ts';
import type { Api, Lease } from '../../harness/api.ts';
import type { HttpResponse } from '../../harness/http-client.ts';
import { expectError, expectInvalid, expectResponse, pagesOf, TIMESTAMP } from '../expectations.ts';

const HOSTILE = ['ä b:c/d', '%41%00', '👩‍🚀'.repeat(33), '__proto__', '"\\\u2028', 'x'.repeat(100)];

interface ListedLease {
  id: string;
  last_heartbeat_at: string | null;
  expires_at: string;
}

/** docs/contract.md "Leases": `GET /leases`. */
export function specifyLeaseList(api: Api): void {
  const list = (query: Record<string, string | number>) =>
    api.get(`/leases?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`);
  const listed = ({ json }: HttpResponse) => json as ListedLease[];
  async function hold(count: number, worker_id: string, agentId?: string): Promise<Lease[]> {
    const id = agentId ?? (await api.createAgent()).id;
    const leases: Lease[] = [];
    for (let at = 0; at < count; at++) leases.push(await api.createRunning(id, {}, { worker_id }));
    return leases;
  }

  test('a lease is listed without its token, with its last heartbeat', async () => {
    const worker_id = `w-${crypto.randomUUID()}`;
    const [lease] = (await hold(1, worker_id)) as [Lease];
    const expected = {
      id: lease.id,
      agent_id: lease.task.agent_id,
      task_id: lease.task.id,
      worker_id,
      attempt: 1,
      started_at: lease.task.started_at,
      expires_at: lease.expires_at,
      last_heartbeat_at: null,
    };
    const response = await list({ worker_id });
    expectResponse(response, 200, [expected]);
    expect(response.headers['x-total-count']).toBe('1');
    expect(response.text).not.toContain(lease.token);
    const { expires_at } = (await api.heartbeat(lease)).json as { expires_at: string };
    const [again] = listed(await list({ worker_id }));
    expect(again).toEqual({ ...expected, expires_at, last_heartbeat_at: expect.stringMatching(TIMESTAMP) });
  });

  test('a lease that was reported, released or lost with its task is not listed', async () => {
    const worker_id = `w-${crypto.randomUUID()}`;
    const [reported, deleted, released, kept] = [
      ...(await hold(1, worker_id)),
      ...(await hold(1, worker_id)),
      ...(await hold(1, worker_id)),
      ...(await hold(1, worker_id)),
    ] as [Lease, Lease, Lease, Lease];
    await api.report(reported);
    await api.release(released);
    await api.call('DELETE', `/agents/${deleted.task.agent_id}`);
    const response = await list({ worker_id });
    expect(listed(response).map(({ id }) => id)).toEqual([kept.id]);
  });

  test('pages are in the order of the tasks, with totals and links that keep the filters', async () => {
    const worker_id = `w-${crypto.randomUUID()}`;
    const { id } = await api.createAgent();
    const leases = [...(await hold(3, worker_id, id)), ...(await hold(2, worker_id))];
    await hold(1, 'another', id);
    const pages = await pagesOf(api, `/leases?worker_id=${worker_id}&limit=2`);
    expect(pages.map(({ headers }) => headers['x-total-count'])).toEqual(['5', '5', '5']);
    const ids = pages.flatMap(listed).map((lease) => lease.id);
    expect(ids).toEqual(leases.map((lease) => lease.id));
    expect(listed(await list({ worker_id, agent_id: id }))).toHaveLength(3);
    expect((await list({ agent_id: id, limit: 1 })).headers['x-total-count']).toBe('4');
    expectResponse(await list({ worker_id, skip: 5 }), 200, []);
    const all = await list({ limit: 1000 });
    expect(listed(all).map((lease) => lease.id)).toEqual(expect.arrayContaining(ids));
    expect(Number(all.headers['x-total-count'])).toBe(listed(all).length);
  });

  test.each(HOSTILE)('the worker %j is found, and no other', async (worker_id) => {
    const [lease] = (await hold(1, worker_id)) as [Lease];
    const { id } = (await hold(1, `${worker_id.slice(0, -2)}*`))[0] as Lease;
    const found = listed(await list({ worker_id })).map((one) => one.id);
    expect(found).toContain(lease.id);
    expect(found).not.toContain(id);
  });

  test.each([
    ['worker_id', 'nobody'],
    ['agent_id', 'missing'],
    ['agent_id', crypto.randomUUID()],
    ['worker_id', 'x:status:running'],
  ])('the filter %s=%s, which no lease has, results in []', async (name, value) => {
    const response = await list({ [name]: value });
    expectResponse(response, 200, []);
    expect(response.headers['x-total-count']).toBe('0');
  });

  test('a repeated filter is 400', async () => {
    expectInvalid(await api.get('/leases?worker_id=a&worker_id=b'), 'worker_id');
  });

  describe('an API key that is limited to agents', () => {
    test('sees the leases of these agents only, and no workers', async () => {
      const worker_id = `w-${crypto.randomUUID()}`;
      const [own] = (await hold(1, worker_id)) as [Lease];
      const [other] = (await hold(1, worker_id)) as [Lease];
      const scopes = ['tasks:read'];
      const { key } = await api.accounts.createKey({ scopes, agent_ids: [own.task.agent_id] });
      const as = apiKey(key);
      for (const query of ['', `?worker_id=${worker_id}`, `?agent_id=${own.task.agent_id}`]) {
        const response = await api.call('GET', `/leases${query}`, { as });
        expect(listed(response).map(({ id }) => id)).toEqual([own.id]);
        expect(response.headers['x-total-count']).toBe('1');
      }
      expectResponse(await api.call('GET', `/leases?agent_id=${other.task.agent_id}`, { as }), 200, []);
      expectError(await api.call('GET', '/workers', { as }), 403, 'forbidden');
    });
  });
}
