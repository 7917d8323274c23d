import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { apiKey } from '../../harness/accounts.ts';
import { type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import { expectStatus, type HttpResponse } from '../../harness/http-client.ts';
import { expectNoBody, expectResponse } from '../expectations.ts';

const HOME = { worker_id: 'home', max_tasks: 20 };
const AWAY = { worker_id: 'away', max_tasks: 20 };
const AT_ONCE = { retry_policy: { strategy: 'fixed', delay_seconds: 0, jitter: 0 } };
/** Until a request waits at a service. */
const ARRIVED_MS = 700;

/** docs/contract.md "Leases": for a minute, a continued task is for the worker of the task before. */
export function specifyReservations(api: Api): void {
  const leasesIn = ({ json }: HttpResponse) => (json as { leases?: Lease[] } | undefined)?.leases ?? [];
  const ids = (response: HttpResponse) => leasesIn(response).map(({ task }) => task.id);
  const lease = async (agentId: string, fields: Record<string, unknown>) =>
    ids(await api.requestLease(agentId, fields));
  const replace = async (task: Task, fields: Record<string, unknown>) =>
    expectStatus(await api.call('PUT', pathOf(task), { body: { message: 'y', ...fields } }), 200);

  /** Has the worker complete a task of the agent; returns the task. */
  async function runBy(agentId: string, worker_id: string): Promise<string> {
    const held = await api.createRunning(agentId, { priority: 1 }, { worker_id });
    await api.report(held);
    return held.task.id;
  }
  /** Creates a task that continues one which the worker has completed. */
  async function createFor(agentId: string, worker: string, fields: Record<string, unknown> = {}): Promise<Task> {
    return api.createTask(agentId, { continue_of: await runBy(agentId, worker), ...fields });
  }
  /** Leases by type with a key of these agents, as other tests have tasks of the type. */
  async function byType(types: string[], agents: string[]) {
    const { key } = await api.accounts.createKey({ scopes: ['leases:write'], agent_ids: agents });
    return (fields: object) =>
      api.call('POST', '/leases', { as: apiKey(key), body: { types, lease_seconds: 900, ...fields } });
  }

  test('only its worker may lease it, while others lease the rest', async () => {
    const { id, type } = await api.createAgent();
    const task = await createFor(id, 'home', { priority: 1 });
    const rest = [await api.createTask(id), await api.createTask(id)].map((one) => one.id);
    const [ofType, ofOther] = [await byType([type], [id]), await byType([String(api.types[1])], [id])];
    expect(await lease(id, AWAY)).toEqual(rest);
    expectNoBody(await ofType(AWAY), 204);
    expectNoBody(await ofOther(HOME), 204);
    expect(await lease((await api.createAgent()).id, HOME)).toEqual([]);
    expect(await lease(id, HOME)).toEqual([task.id]);
  });

  test('its worker gets it before other tasks, by priority, also by a request for tasks of the type', async () => {
    const [one, other] = [await api.createAgent(), await api.createAgent()];
    const before = await api.createTask(one.id, { priority: 2 });
    const first = await createFor(one.id, 'home', { priority: 9 });
    const second = await createFor(other.id, 'home', { priority: 8 });
    const ofType = await byType([one.type], [one.id, other.id]);
    expect(ids(await ofType(HOME))).toEqual([second.id, first.id, before.id]);
  });

  test('names of workers are compared as they are, also with blanks and other signs', async () => {
    const { id } = await api.createAgent();
    const name = 'a b:é%20\ud800';
    const task = await createFor(id, name);
    for (const worker_id of ['a b', 'a%20b:é%20', 'A B:é%20\ud800']) expect(await lease(id, { worker_id })).toEqual([]);
    expect(await lease(id, { worker_id: name })).toEqual([task.id]);
  });

  describe('a request that waits', () => {
    /** Waits for a lease that `act` makes possible; it must come before another wait ends. */
    async function expectWoken(wait: Promise<HttpResponse>, act: () => Promise<unknown>): Promise<string[]> {
      const { id } = await api.createAgent();
      let isOver = false;
      const control = api.requestLease(id, { wait_seconds: 15 }).finally(() => {
        isOver = true;
      });
      await sleep(ARRIVED_MS);
      await act();
      const found = ids(await wait);
      expect(isOver).toBe(false);
      await api.createTask(id);
      await control;
      return found;
    }

    test.each(['its agent', 'its type'])('for tasks of %s gets it, if it is of its worker', async (what) => {
      const { id, type } = await api.createAgent({ type: api.types[2] });
      const continue_of = await runBy(id, 'home');
      const ofType = await byType([type], [id]);
      const waitFor = (fields: Record<string, unknown>) =>
        what === 'its agent' ? api.requestLease(id, fields) : ofType(fields);
      const away = waitFor({ worker_id: 'away', wait_seconds: 30 });
      let task: Task | undefined;
      const found = await expectWoken(waitFor({ worker_id: 'home', wait_seconds: 30 }), async () => {
        task = await api.createTask(id, { continue_of });
      });
      expect(found).toEqual([task?.id]);
      const other = await api.createTask(id);
      expect(ids(await away)).toEqual([other.id]);
    });

    test('gets it when its agent is resumed', async () => {
      const { id } = await api.createAgent();
      const task = await createFor(id, 'home');
      expectStatus(await api.call('PUT', `/agents/${id}/pause`), 200);
      expect(await lease(id, HOME)).toEqual([]);
      const waiting = api.requestLease(id, { ...HOME, wait_seconds: 30 });
      expect(await expectWoken(waiting, () => api.call('DELETE', `/agents/${id}/pause`))).toEqual([task.id]);
    });

    test('gets it when its agent gets the type', async () => {
      const { id } = await api.createAgent();
      const task = await createFor(id, 'home');
      const type = String(api.types[1]);
      const waiting = (await byType([type], [id]))({ ...HOME, wait_seconds: 30 });
      const change = () => api.call('PUT', `/agents/${id}`, { body: { name: 'x', type } });
      expect(await expectWoken(waiting, change)).toEqual([task.id]);
    });
  });

  test('a replaced task stays reserved if it still continues the task, with its new priority', async () => {
    const { id } = await api.createAgent();
    const task = await createFor(id, 'home', { priority: 8 });
    const { continue_of } = task;
    const between = await api.createTask(id, { continue_of, priority: 5 });
    await replace(task, { priority: 2, continue_of });
    expect(await lease(id, AWAY)).toEqual([]);
    const leased = await api.requestLease(id, HOME);
    expect(ids(leased)).toEqual([task.id, between.id]);
    for (const held of leasesIn(leased)) expectNoBody(await api.release(held), 204);
    expect(await lease(id, AWAY)).toEqual([]);
    await replace(task, { continue_of: null });
    expect(await lease(id, AWAY)).toEqual([task.id]);
    const late = await api.createTask(id);
    await replace(late, { continue_of });
    expect(await lease(id, AWAY)).toEqual([]);
    expect(await lease(id, HOME)).toEqual([between.id, late.id]);
  });

  test('nothing is reserved when the task before had no worker', async () => {
    const { id } = await api.createAgent();
    const before = await api.createTask(id);
    await api.cancel(before);
    const task = await api.createTask(id, { continue_of: before.id });
    expect(await lease(id, AWAY)).toEqual([task.id]);
  });

  test('a retry is reserved too, unless the task before was deleted', async () => {
    const { id } = await api.createAgent();
    const task = await createFor(id, 'home', { max_attempts: 2, ...AT_ONCE });
    for (let attempt = 1; attempt <= 2; attempt++) {
      expect(await lease(id, AWAY)).toEqual([]);
      await api.report(await api.lease(id, HOME), { status: 'failed' });
    }
    const retry = async () => expectStatus<Task>(await api.call('POST', `${pathOf(task)}/retries`), 201).id;
    const first = await retry();
    expect(await lease(id, AWAY)).toEqual([]);
    expect(await lease(id, HOME)).toEqual([first]);
    await api.call('DELETE', `/agents/${id}/tasks/${task.continue_of}`);
    const second = await retry();
    expect(await lease(id, AWAY)).toEqual([second]);
  });

  test('why it waits tells for which worker, and until when', async () => {
    const { id } = await api.createAgent();
    const task = await createFor(id, 'home');
    const expected = {
      reason: 'reserved',
      since: task.created_at,
      worker_id: 'home',
      until: new Date(Date.parse(task.created_at) + 60_000).toISOString(),
    };
    expectResponse(await api.get(`${pathOf(task)}/waiting`), 200, expected);
  });
}
