import { beforeAll, expect, test } from '@jest/globals';
import type { Agent, Api, Task } from '../../harness/api.ts';
import { expectInvalid } from '../expectations.ts';

/** docs/contract.md "Tasks": what a search finds in the records of tasks; "Agents": search by name. */
export function specifyTextSearch(api: Api): void {
  // Nothing outside of this test has this word.
  const word = `w${crypto.randomUUID().slice(0, 13)}`;
  let agent: Agent;
  let tasks: Task[];
  const titles = async (query: Record<string, string>) => {
    const response = await api.get(`/tasks?${new URLSearchParams({ agent_id: agent.id, ...query })}`);
    expect(response.status).toBe(200);
    return (response.json as Task[]).map(({ id }) => tasks.findIndex((task) => task.id === id));
  };

  beforeAll(async () => {
    agent = await api.createAgent({ name: `Größe ${word} Agent` });
    tasks = [];
    const fields = [
      { message: `Fix the\tÄRGER of "quoted" ${word}` },
      { message: 'Review', tags: [`${word.toUpperCase()}-tag`, 'ärger'], model: 'm-1' },
      { message: `${word} in the input only: no`, input: { text: 'needle' }, model: 'm-10' },
    ];
    for (const more of fields) tasks.push(await api.createTask(agent.id, { max_attempts: 1, ...more }));
  });

  test('q finds each word in message or tags in any case, and the newest first', async () => {
    expect(await titles({ q: word })).toEqual([2, 1, 0]);
    expect(await titles({ q: word, order: 'asc' })).toEqual([0, 1, 2]);
    expect(await titles({ q: `ärger ${word.toUpperCase()}` })).toEqual([1, 0]);
    expect(await titles({ q: '"QUOTED"' })).toEqual([0]);
    expect(await titles({ q: 'needle' })).toEqual([]);
    expect(await titles({ q: ' ', order: 'desc' })).toEqual([2, 1, 0]);
  });

  test('q finds an id by its beginning', async () => {
    const { id } = tasks[1] as Task;
    expect(await titles({ q: id.toUpperCase() })).toEqual([1]);
    expect(await titles({ q: id.slice(0, -3) })).toEqual([1]);
    expect(await titles({ q: id.slice(3) })).toEqual([]);
    expect(await titles({ id, q: word })).toEqual([1]);
    expect(await titles({ id, q: 'needle' })).toEqual([]);
  });

  test('q finds the code and the message of an error; error_code, model and min_duration_seconds filter', async () => {
    const held = await api.lease(agent.id);
    expect(await titles({ min_duration_seconds: '0' })).toEqual([0]);
    expect(await titles({ min_duration_seconds: '3600' })).toEqual([]);
    await api.report(held, { status: 'failed', error: { code: 'broken_pipe', message: 'It BROKE', retryable: false } });
    expect(await titles({ q: 'broke' })).toEqual([0]);
    expect(await titles({ q: 'broke BROKEN_' })).toEqual([0]);
    expect(await titles({ error_code: 'broken_pipe' })).toEqual([0]);
    expect(await titles({ error_code: 'broken' })).toEqual([]);
    expect(await titles({ model: 'm-1' })).toEqual([1]);
    expect(await titles({ model: 'm-1', q: 'review', tag: 'ärger', status: 'pending' })).toEqual([1]);
    expect(await titles({ model: 'm-1', status: 'failed' })).toEqual([]);
  });

  test('created_by finds tasks by the id or the name of their creator', async () => {
    const { id, key } = await api.accounts.createKey({ role: 'operator' });
    const body = { message: 'Mine' };
    const path = `/agents/${agent.id}/tasks`;
    const mine = (await api.call('POST', path, { body, as: { 'x-api-key': key } })).json as Task;
    tasks.push(mine);
    expect(mine.created_by).toEqual({ id, name: expect.stringMatching(/./) });
    expect(await titles({ created_by: id })).toEqual([3]);
    expect(await titles({ created_by: String(mine.created_by?.name).toUpperCase() })).toEqual([3]);
    const retried = (await api.call('POST', `${path}/${(tasks[0] as Task).id}/retries`)).json as Task;
    tasks.push(retried);
    expect(retried.created_by).toEqual((tasks[0] as Task).created_by);
  });

  test('pages continue by their links, also where nothing matches', async () => {
    const found: string[] = [];
    let pages = 0;
    for (let url = `/tasks?q=${word}&limit=1&fields=id`; url; pages++) {
      const { json, headers } = await api.get(url);
      found.push(...(json as Task[]).map(({ id }) => id));
      url = /<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1] ?? '';
    }
    expect(found).toEqual([4, 2, 1, 0].map((at) => tasks[at]?.id));
    expect(pages).toBeGreaterThanOrEqual(3);
    expect(await titles({ q: word, skip: '2' })).toEqual([1, 0]);
  });

  test('a key that is limited to other agents finds nothing', async () => {
    const other = await api.createAgent();
    const { key } = await api.accounts.createKey({ role: 'viewer', agent_ids: [other.id] });
    const as = { 'x-api-key': key };
    expect((await api.call('GET', `/tasks?q=${word}`, { as })).json).toEqual([]);
    expect((await api.call('GET', `/agents?q=${word}`, { as })).json).toEqual([]);
  });

  test('agents are found by words of the name, by the beginning of the id, and by the exact name', async () => {
    const other = await api.createAgent({ name: `GRÖSSE ${word}` });
    const names = async (query: Record<string, string>) =>
      ((await api.get(`/agents?${new URLSearchParams(query)}`)).json as Agent[]).map(({ id }) => id);
    expect(await names({ q: word })).toEqual([agent.id, other.id]);
    expect(await names({ q: word, order: 'desc', limit: '1' })).toEqual([other.id]);
    expect(await names({ q: `${word} agent` })).toEqual([agent.id]);
    expect(await names({ q: `grösse ${word.toUpperCase()}` })).toEqual([other.id]);
    expect(await names({ q: other.id.slice(0, 30) })).toContain(other.id);
    expect(await names({ name: other.name })).toEqual([other.id]);
    expect(await names({ name: other.name.toLowerCase() })).toEqual([]);
    expect(await names({ q: word, paused: 'true' })).toEqual([]);
    await api.call('PUT', `/agents/${other.id}/pause`, { body: {} });
    expect(await names({ q: word, paused: 'true' })).toEqual([other.id]);
    expect(await names({ q: word, paused: 'false' })).toEqual([agent.id]);
  });

  test('a search that is too long, and a duration that is no number, are 400', async () => {
    expectInvalid(await api.get(`/tasks?q=${'x'.repeat(201)}`), 'q');
    expectInvalid(await api.get(`/agents?q=${'x'.repeat(201)}`), 'q');
    expectInvalid(await api.get('/tasks?q=a&q=b'), 'q');
    expectInvalid(await api.get('/tasks?min_duration_seconds=-1'), 'min_duration_seconds');
    expect((await api.get(`/tasks?q=${'%F0%9F%98%80'.repeat(100)}`)).status).toBe(200);
  });
}
