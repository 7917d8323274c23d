import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { apiKey } from '../../harness/accounts.ts';
import { type Agent, type Api, pathOf } from '../../harness/api.ts';
import { expectError, expectJson, TIMESTAMP } from '../expectations.ts';

interface Counts {
  total: number;
  by_status: Record<string, number>;
  by_type: Record<string, number>;
}

interface Stats {
  at: string;
  agents: Counts;
  tasks: Counts;
  oldest_pending: { type: string; agent_id: string; task_id: string; created_at: string }[];
  leases: number;
  workers: number;
  usage: unknown;
}

const STATUSES = {
  agents: ['idle', 'active', 'waiting', 'error', 'offline'],
  tasks: ['pending', 'running', 'input_required', 'completed', 'failed', 'cancelled'],
};

/** docs/contract.md "Statistics": `GET /stats`. */
export function specifyStats(api: Api): void {
  const read = async () => (await api.get('/stats')).json as Stats;
  const total = async (path: string) => Number((await api.get(path)).headers['x-total-count']);
  let agent: Agent;
  beforeAll(async () => {
    agent = await api.createAgent({ type: api.types[2] });
  });
  // Other tests count or take all tasks of its type.
  afterAll(() => api.call('DELETE', `/agents/${agent.id}`));

  test('it has exactly the documented fields, all statuses and all types, zeros included', async () => {
    const response = await api.get('/stats');
    expect(response.status).toBe(200);
    expectJson(response);
    const { at, agents, tasks, oldest_pending, usage, ...counts } = response.json as Stats;
    expect(at).toMatch(TIMESTAMP);
    expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000);
    for (const [found, statuses] of [
      [agents, STATUSES.agents],
      [tasks, STATUSES.tasks],
    ] as const) {
      expect(Object.keys(found)).toEqual(['total', 'by_status', 'by_type']);
      expect(Object.keys(found.by_status)).toEqual(statuses);
      expect(Object.keys(found.by_type)).toEqual(api.types);
    }
    expect(Array.isArray(oldest_pending)).toBe(true);
    expect(counts).toEqual({ leases: expect.any(Number), workers: expect.any(Number) });
    expect(Object.keys(usage as object)).toEqual(['total', 'by_type', 'by_model', 'by_agent']);
  });

  test('its counts are the totals of the lists', async () => {
    await api.createTasks(agent.id, 3);
    await api.lease(agent.id);
    const stats = await read();
    for (const list of ['agents', 'tasks'] as const) {
      expect(stats[list].total).toBe(await total(`/${list}?limit=1`));
      for (const by of ['status', 'type'] as const) {
        for (const [value, count] of Object.entries(stats[list][`by_${by}`])) {
          expect([value, count]).toEqual([value, await total(`/${list}?limit=1&${by}=${value}`)]);
        }
      }
    }
    expect(stats.leases).toBe(stats.tasks.by_status.running);
  });

  test('it follows each change at once', async () => {
    const before = await read();
    const held = await api.createRunning((await api.createAgent({ type: api.types[1] })).id);
    const during = await read();
    expect(during.tasks.total - before.tasks.total).toBe(1);
    expect(during.leases - before.leases).toBe(1);
    expect(during.agents.by_status.active).toBe(Number(before.agents.by_status.active) + 1);
    await api.report(held);
    const after = await read();
    expect(after.tasks.by_status.completed).toBe(Number(before.tasks.by_status.completed) + 1);
    await api.call('DELETE', `/agents/${held.task.agent_id}`);
    expect((await read()).tasks).toEqual(before.tasks);
  });

  test('it names the oldest pending task of each type', async () => {
    for (const type of api.types) {
      const [oldest] = (await api.get(`/tasks?type=${type}&status=pending&limit=1`)).json as Agent[];
      const named = (await read()).oldest_pending.find((one) => one.type === type);
      expect(named?.task_id).toBe(oldest?.id);
    }
    const { type } = agent;
    const [oldest] = (await api.get(`/tasks?type=${type}&status=pending&limit=1`)).json as [
      { id: string; agent_id: string; created_at: string },
    ];
    const { id: task_id, agent_id, created_at } = oldest;
    expect((await read()).oldest_pending).toContainEqual({ type, agent_id, task_id, created_at });
    await api.call('DELETE', pathOf(oldest));
    expect((await read()).oldest_pending.map((one) => one.task_id)).not.toContain(task_id);
  });

  test('an API key that is limited to agents may not read it', async () => {
    const { key } = await api.accounts.createKey({ scopes: ['tasks:read'], agent_ids: [agent.id] });
    for (const path of ['/stats', '/stats/series', '/bulk-actions/x']) {
      expectError(await api.call('GET', path, { as: apiKey(key) }), 403, 'forbidden');
    }
  });
}
