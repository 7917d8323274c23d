import { describe, expect, test } from '@jest/globals';
import type { Agent, Api, Task } from '../../harness/api.ts';
import type { Answer } from '../../harness/http-client.ts';
import { expectAnswer, expectInvalid, linksOf } from '../expectations.ts';

const KIB = 1024;
const tasksOf = (answer: Answer) => answer.json as Task[];

/** docs/contract.md "Tasks": the list. */
export function specifyTaskList(api: Api): void {
  async function makeTasks(count: number): Promise<{ agent: Agent; tasks: Task[]; path: string }> {
    const agent = await api.createAgent();
    const tasks: Task[] = [];
    for (let at = 0; at < count; at++) tasks.push(await api.createTask(agent.id, { message: `Task ${at}` }));
    return { agent, tasks, path: `/agents/${agent.id}/tasks` };
  }

  test("an agent's tasks are listed oldest first, with totals, links and no other agent's", async () => {
    const { tasks, path } = await makeTasks(5);
    await makeTasks(1);
    const all = await api.get(path);
    expectAnswer(all, 200, tasks);
    expect([all.headers['x-total-count'], all.headers.link]).toEqual(['5', undefined]);
    const first = await api.get(`${path}?limit=2`);
    expectAnswer(first, 200, tasks.slice(0, 2));
    expect(first.headers['x-total-count']).toBe('5');
    const second = await api.get(String(linksOf(first).next));
    expectAnswer(second, 200, tasks.slice(2, 4));
    expect(Object.keys(linksOf(second)).sort()).toEqual(['next', 'prev']);
    const third = await api.get(String(linksOf(second).next));
    expectAnswer(third, 200, tasks.slice(4));
    expect(Object.keys(linksOf(third))).toEqual(['prev']);
    expectAnswer(await api.get(String(linksOf(third).prev)), 200, tasks.slice(2, 4));
  });

  test('status filters the list and its total, where an empty one is no filter and an unknown one matches nothing', async () => {
    const { tasks, path } = await makeTasks(2);
    for (const query of ['', '?status=', '?status=pending']) {
      const answer = await api.get(path + query);
      expectAnswer(answer, 200, tasks);
      expect(answer.headers['x-total-count']).toBe('2');
    }
    for (const status of ['running', 'completed', 'failed', 'cancelled', 'nope', '%00', 'PENDING', 'x:y']) {
      const answer = await api.get(`${path}?status=${status}`);
      expectAnswer(answer, 200, []);
      expect(answer.headers['x-total-count']).toBe('0');
    }
  });

  test('the list has 100 tasks by default', async () => {
    const agent = await api.createAgent();
    await Promise.all(Array.from({ length: 101 }, () => api.createTask(agent.id)));
    const path = `/agents/${agent.id}/tasks`;
    expect(tasksOf(await api.get(path))).toHaveLength(100);
    expect(tasksOf(await api.get(`${path}?skip=100`))).toHaveLength(1);
    expect(tasksOf(await api.get(`${path}?limit=1000`))).toHaveLength(101);
  });

  test('following next reaches all tasks, also large ones', async () => {
    const agent = await api.createAgent();
    const input = 'x'.repeat(250 * KIB);
    const made: Task[] = [];
    for (let at = 0; at < 40; at++) made.push(await api.createTask(agent.id, { input }));
    const seen: string[] = [];
    for (let next: string | undefined = `/agents/${agent.id}/tasks`; next; ) {
      const page: Answer = await api.get(next);
      expect(page.headers['x-total-count']).toBe('40');
      seen.push(...tasksOf(page).map(({ id }) => id));
      next = linksOf(page).next;
    }
    expect(seen).toEqual(made.map(({ id }) => id));
  });

  describe('skip and limit that are no whole number within bounds are 400:', () => {
    test.each(['', '-1', '1.5', '0x10', '%205', 'abc', '1e2'])('"%s"', async (text) => {
      const { path } = await makeTasks(0);
      expectInvalid(await api.get(`${path}?skip=${text}`), 'skip');
      expectInvalid(await api.get(`${path}?limit=${text}`), 'limit');
    });

    test('limit 0, 1001 and twice', async () => {
      const { path } = await makeTasks(0);
      for (const query of ['limit=0', 'limit=1001', 'limit=1&limit=1']) {
        expectInvalid(await api.get(`${path}?${query}`), 'limit');
      }
    });
  });
}
