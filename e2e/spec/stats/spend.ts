import { expect, test } from '@jest/globals';
import { apiKey } from '../../harness/accounts.ts';
import { type Api, type Attempt, pathOf, type Task } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { expectError, expectInvalid, expectNoBody } from '../expectations.ts';
import { cost, usage } from '../tasks/usage.ts';

interface Spent {
  attempts: number;
  cost: { amount: number };
}
interface Spend {
  total: Spent;
  groups_overlap: boolean;
  steps: { at: string; groups: (Spent & { key: string | null })[] }[];
}

/** docs/contract.md "Statistics": `GET /stats/spend`. */
export function specifySpend(api: Api): void {
  const read = async (query: string) => expectStatus<Spend>(await api.get(`/stats/spend?${query}`), 200);
  const groupsOf = ({ steps }: Spend) =>
    steps.flatMap(({ groups }) => groups).map(({ key, attempts, cost: { amount } }) => [key, attempts, amount]);

  test('it counts every attempt that ends, whatever its end, and its sums are those of all attempts', async () => {
    const { id } = await api.createAgent();
    const tasks = new Map<string, Task>();
    const ends = ['completed', 'failed', 'cancelled', 'released', 'nothing'];
    for (let at = 0; at < 10; at++) {
      const held = await api.createRunning(id, { retry_policy: { strategy: 'fixed', delay_seconds: 0 } });
      tasks.set(held.task.id, held.task);
      const end = ends[Math.floor(Math.random() * ends.length)];
      const used = end === 'nothing' ? {} : { usage: usage(at), cost: cost(Math.round(Math.random() * 1e6) / 1e6) };
      expectStatus(await api.heartbeat(held, used), 200);
      if (end === 'released' || end === 'nothing') expectNoBody(await api.release(held), 204);
      else expectStatus(await api.report(held, { status: end }), 200);
    }
    const lists = await Promise.all([...tasks.values()].map((task) => api.get(`${pathOf(task)}/attempts?all=true`)));
    const attempts = lists.flatMap(({ json }) => json as (Attempt & { cost: { amount: number } | null })[]);
    const ended = attempts.filter(({ outcome }) => outcome !== 'running');
    const micros = ended.reduce((sum, attempt) => sum + Math.round((attempt.cost?.amount ?? 0) * 1e6), 0);
    for (const step of ['hour', 'day', 'month']) {
      const { total } = await read(`agent_id=${id}&step=${step}&time_zone=Asia/Kathmandu`);
      expect(total).toMatchObject({ attempts: ended.length, cost: { amount: micros / 1e6 } });
    }
  });

  test('it groups by model, tag, type, and the user and key that created the task', async () => {
    const agent = await api.createAgent();
    const owner = await api.accounts.create('operator');
    const user = await api.accounts.signInAs(owner);
    const { key, id: keyId } = await api.accounts.createKey({ role: 'operator' }, user);
    for (const [as, tags, model, amount] of [
      [user, ['a', 'b'], 'x', 0.1],
      [apiKey(key), ['b'], 'y', 0.2],
      [apiKey(api.apiKey), null, undefined, 0.4],
    ] as const) {
      await api.call('POST', `/agents/${agent.id}/tasks`, { as, body: { message: 'x', tags } });
      await api.report(await api.lease(agent.id), { cost: cost(amount), model });
    }
    const by = (dimension: string) => read(`agent_id=${agent.id}&group_by=${dimension}`);
    expect(groupsOf(await by('agent'))).toEqual([[agent.id, 3, 0.7]]);
    expect(groupsOf(await by('type'))).toEqual([[agent.type, 3, 0.7]]);
    expect(groupsOf(await by('version'))).toEqual([[null, 3, 0.7]]);
    expect(groupsOf(await by('model'))).toEqual([
      [null, 1, 0.4],
      ['y', 1, 0.2],
      ['x', 1, 0.1],
    ]);
    expect(groupsOf(await by('user'))).toEqual([
      [null, 1, 0.4],
      [owner.id, 2, 0.3],
    ]);
    expect(groupsOf(await by('key'))).toMatchObject([
      [expect.any(String), 1, 0.4],
      [keyId, 1, 0.2],
      [null, 1, 0.1],
    ]);
    const tags = await by('tag');
    expect([tags.groups_overlap, tags.total]).toMatchObject([true, { attempts: 3, cost: { amount: 0.7 } }]);
    expect(groupsOf(tags)).toEqual([
      [null, 1, 0.4],
      ['b', 2, 0.3],
      ['a', 1, 0.1],
    ]);
  });

  test('it is CSV without formulas', async () => {
    const { id } = await api.createAgent();
    await api.report(await api.createRunning(id), { usage: usage(1), cost: cost(0.5), model: '=1+"2",3' });
    const path = `/stats/spend?agent_id=${id}&group_by=model`;
    const { text, headers } = await api.call('GET', path, { headers: { accept: 'text/csv' } });
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    const [names, line] = text.split('\r\n');
    expect(names).toBe(
      'at,key,cost,attempts,input_tokens,cached_input_tokens,output_tokens,reasoning_tokens,estimated',
    );
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT00:00:00.000Z,"'=1\+""2"",3",0.5,1,10,4,3,1,false$/);
  });

  test.each([
    ['step=week', 'step'],
    ['group_by=nobody', 'group_by'],
    ['group_by=version', 'agent_id'],
    ['time_zone=Mars', 'time_zone'],
    ['from=yesterday', 'from'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
    ['step=day&from=2025-01-01T00:00:00Z&to=2026-02-06T00:00:00Z', 'from'],
    ['step=month&from=2020-01-01T00:00:00Z&to=2023-01-02T00:00:00Z', 'from'],
    ['step=hour&from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z', 'from'],
  ])('%s is 400', async (query, path) => {
    expectInvalid(await api.get(`/stats/spend?${query}`), path);
  });

  test('an API key that is limited to agents reads that of these', async () => {
    const [own, other] = [await api.createAgent(), await api.createAgent()];
    const { key } = await api.accounts.createKey({ scopes: ['tasks:read'], agent_ids: [own.id] });
    const as = apiKey(key);
    expectStatus(await api.call('GET', `/stats/spend?agent_id=${own.id}`, { as }), 200);
    for (const query of ['', `agent_id=${other.id}`, 'agent_id=']) {
      expectError(await api.call('GET', `/stats/spend?${query}`, { as }), 403, 'forbidden');
    }
  });
}
