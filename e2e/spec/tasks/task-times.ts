import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import type { Api, Lease, Task } from '../../harness/api.ts';
import { expectError, expectNoBody, expectResponse } from '../expectations.ts';
import { cost, usage } from './usage.ts';

/**
 * Maximum delay of a deadline by the service's clock: 5 s (docs/contract.md "Tasks"), and as much for a busy machine.
 */
const NOTICED_MS = 10_000;
/** Timeout of a test that waits for a deadline. */
const PATIENCE_MS = 60_000;
const AT_ONCE = { strategy: 'fixed', delay_seconds: 0, jitter: 0 };

const ms = (time: unknown) => Date.parse(String(time));
const inMs = (delay: number) => new Date(Date.now() + delay).toISOString();

/** docs/contract.md "Tasks": deadlines of tasks and leases. */
export function specifyTaskTimes(api: Api): void {
  const run = async (fields = {}, lease = {}) => api.createRunning((await api.createAgent()).id, fields, lease);
  const statusOf = async (task: Task) => (await api.readAgent(task.agent_id)).status;
  async function untilItIs(task: Task, status: string): Promise<Task> {
    await until(async () => (await api.readTask(task)).status === status, {
      message: `the task is ${status}`,
      timeoutMs: PATIENCE_MS,
    });
    return api.readTask(task);
  }
  async function expectLost(held: Lease): Promise<void> {
    const before = await api.readTask(held.task);
    for (const response of [await api.heartbeat(held), await api.report(held), await api.release(held)]) {
      expectError(response, 409, 'lease_lost');
    }
    expect(await api.readTask(held.task)).toEqual(before);
  }

  test.concurrent('an expired lease returns the task to the queue at once, and after the last attempt the agent is offline', async () => {
    const held = await run({ max_attempts: 2 }, { lease_seconds: 5 });
    const second = await api.lease(held.task.agent_id, { wait_seconds: 30, lease_seconds: 5 });
    expect(second).toMatchObject({ attempt: 2, task: { id: held.task.id, error: { code: 'lease_expired' } } });
    const [first] = await api.readAttempts(held.task);
    expect(first).toMatchObject({ number: 1, outcome: 'lease_expired', error: { code: 'lease_expired' } });
    expect(ms(first?.ended_at)).toBeGreaterThanOrEqual(ms(held.expires_at));
    expect(ms(second.task.started_at) - ms(held.expires_at)).toBeLessThan(NOTICED_MS);
    const end = await untilItIs(held.task, 'failed');
    expect(end).toMatchObject({ attempt: 2, error: { code: 'lease_expired' }, next_attempt_at: null });
    expect(ms(end.completed_at) - ms(second.expires_at)).toBeLessThan(NOTICED_MS);
    expect(await statusOf(held.task)).toBe('offline');
    for (const lease of [held, second]) await expectLost(lease);
    await api.createRunning(held.task.agent_id);
    expect(await statusOf(held.task)).toBe('active');
  });

  test.concurrent('heartbeats extend a lease', async () => {
    const held = await run({}, { lease_seconds: 9 });
    for (let beat = 0; beat < 8; beat++) {
      await sleep(1_500);
      expect((await api.heartbeat(held)).status).toBe(200);
    }
    expect(Date.now()).toBeGreaterThan(ms(held.expires_at) + 2_000);
    expect((await api.report(held)).json).toMatchObject({ status: 'completed', attempt: 1 });
  });

  test.concurrent('an attempt ends after timeout_seconds in spite of heartbeats, and the next one may begin at once', async () => {
    const held = await run({ timeout_seconds: 6, max_attempts: 2 }, { lease_seconds: 60 });
    expect(ms(held.expires_at) - ms(held.task.started_at)).toBe(6_000);
    const beat = (await api.heartbeat(held)).json as { expires_at: string };
    expect(beat.expires_at).toBe(held.expires_at);
    const second = await api.lease(held.task.agent_id, { wait_seconds: 30 });
    expect(second).toMatchObject({ attempt: 2, task: { error: { code: 'timeout' } } });
    expect(ms(second.task.started_at) - ms(held.expires_at)).toBeLessThan(NOTICED_MS);
    const end = await untilItIs(held.task, 'failed');
    expect(end.error).toMatchObject({ code: 'timeout' });
    expect((await api.readAttempts(held.task)).map(({ outcome }) => outcome)).toEqual(['timeout', 'timeout']);
    expect(await statusOf(held.task)).toBe('error');
    await expectLost(second);
  });

  test.concurrent('a retry waits by its policy: exponentially, up to the maximum', async () => {
    const retry_policy = { strategy: 'exponential', delay_seconds: 4, max_delay_seconds: 10, jitter: 0 };
    let held = await run({ max_attempts: 4, retry_policy });
    for (const delay of [4_000, 8_000, 10_000]) {
      const back = (await api.report(held, { status: 'failed' })).json as Task;
      expect(ms(back.next_attempt_at) - ms(back.updated_at)).toBe(delay);
      expectNoBody(await api.requestLease(back.agent_id), 204);
      held = await api.lease(back.agent_id, { wait_seconds: 30 });
      expect(ms(held.task.started_at)).toBeGreaterThanOrEqual(ms(back.next_attempt_at));
      expect(ms(held.task.started_at) - ms(back.next_attempt_at)).toBeLessThan(NOTICED_MS);
    }
    expect((await api.report(held, { status: 'failed' })).json).toMatchObject({ status: 'failed', attempt: 4 });
  });

  test.concurrent('a fixed retry delay is constant, and jitter only shortens it', async () => {
    const policy = { strategy: 'fixed', delay_seconds: 1_000 };
    const delays = await Promise.all(
      [0, 0.1, 0.1, 1, 1].map(async (jitter) => {
        const held = await run({ retry_policy: { ...policy, jitter, max_delay_seconds: 1_000 } });
        const back = (await api.report(held, { status: 'failed' })).json as Task;
        return ms(back.next_attempt_at) - ms(back.updated_at);
      }),
    );
    expect(delays[0]).toBe(1_000_000);
    expect(delays.every((delay, at) => delay <= 1_000_000 && delay >= (at > 2 ? 0 : 900_000))).toBe(true);
    expect(new Set(delays).size).toBe(5);
  });

  test.concurrent('a pending task fails at expires_at, and a running one continues', async () => {
    const agent = await api.createAgent();
    const task = await api.createTask(agent.id, { expires_at: inMs(8_000) });
    const held = await run({ expires_at: inMs(8_000) });
    const end = await untilItIs(task, 'failed');
    expect(end).toMatchObject({ attempt: 0, error: { code: 'expired', retryable: false }, result: null });
    expect(ms(end.completed_at)).toBeGreaterThanOrEqual(ms(task.expires_at));
    expect(ms(end.completed_at) - ms(task.expires_at)).toBeLessThan(NOTICED_MS);
    expectNoBody(await api.requestLease(task.agent_id), 204);
    expect([await statusOf(task), await api.readAttempts(task)]).toEqual(['idle', []]);
    expect((await api.report(held)).json).toMatchObject({ status: 'completed' });
  });

  test.concurrent('a scheduled task is leased at its time, not before', async () => {
    const { id } = await api.createAgent();
    const scheduled_at = inMs(8_000);
    const task = await api.createTask(id, { scheduled_at });
    expectNoBody(await api.requestLease(task.agent_id), 204);
    const held = await api.lease(id, { wait_seconds: 30 });
    expect(held.task.id).toBe(task.id);
    expect(ms(held.task.started_at)).toBeGreaterThanOrEqual(ms(scheduled_at));
    expect(ms(held.task.started_at) - ms(scheduled_at)).toBeLessThan(NOTICED_MS);
  });

  test.concurrent('a task whose worker ignores the cancellation is cancelled when its lease expires, and the agent is idle', async () => {
    const held = await run({}, { lease_seconds: 5 });
    await api.cancel(held.task, { reason: 'Enough' });
    const end = await untilItIs(held.task, 'cancelled');
    expect(end.error).toEqual({ code: 'cancelled', message: 'Enough', retryable: false });
    expect(ms(end.completed_at) - ms(held.expires_at)).toBeLessThan(NOTICED_MS);
    expect((await api.readAttempts(held.task)).map(({ outcome }) => outcome)).toEqual(['lease_expired']);
    expect(await statusOf(held.task)).toBe('idle');
    await expectLost(held);
  });

  test.concurrent('a retry without a delay is pending at once', async () => {
    const held = await run({ retry_policy: AT_ONCE });
    await api.report(held, { status: 'failed' });
    expect(await api.lease(held.task.agent_id)).toMatchObject({ attempt: 2, task: { id: held.task.id } });
  });

  test.concurrent('an attempt that its lease or its timeout ends keeps its last report of usage', async () => {
    const used = { usage: usage(3), cost: cost(0.5), model: 'a' };
    const expiring = await run({ retry_policy: AT_ONCE }, { lease_seconds: 5 });
    const late = await run({ timeout_seconds: 5, max_cost: { amount: 0.5, currency: 'USD' } });
    for (const held of [expiring, late]) expect((await api.heartbeat(held, used)).status).toBe(200);
    const failed = await untilItIs(late.task, 'failed');
    expect(failed).toMatchObject({ attempt: 1, usage: used.usage, cost: used.cost });
    expect(await api.readAttempts(late.task)).toMatchObject([{ outcome: 'timeout', ...used }]);
    const pending = await untilItIs(expiring.task, 'pending');
    expect(pending).toMatchObject({ usage: used.usage, cost: used.cost });
    expect(await api.readAttempts(expiring.task)).toMatchObject([{ outcome: 'lease_expired', ...used }]);
  });

  test.concurrent('a task of a paused agent expires, and one that was scheduled is leased after the pause', async () => {
    const { id } = await api.createAgent();
    await api.call('PUT', `/agents/${id}/pause`);
    const expiring = await api.createTask(id, { expires_at: inMs(6_000) });
    const scheduled = await api.createTask(id, { scheduled_at: inMs(6_000) });
    expect((await untilItIs(expiring, 'failed')).error).toMatchObject({ code: 'expired' });
    await sleep(Math.max(0, ms(scheduled.scheduled_at) - Date.now()));
    expectNoBody(await api.requestLease(id, { wait_seconds: 1 }), 204);
    await api.call('DELETE', `/agents/${id}/pause`);
    expect((await api.lease(id, { wait_seconds: 30 })).task.id).toBe(scheduled.id);
  });

  test.concurrent('an expired lease of a paused agent returns its task, which is leased after the pause', async () => {
    const held = await run({ retry_policy: AT_ONCE }, { lease_seconds: 5 });
    await api.call('PUT', `/agents/${held.task.agent_id}/pause`);
    await untilItIs(held.task, 'pending');
    expectNoBody(await api.requestLease(held.task.agent_id), 204);
    await api.call('DELETE', `/agents/${held.task.agent_id}/pause`);
    expect((await api.lease(held.task.agent_id)).task.id).toBe(held.task.id);
  });

  test.concurrent('a scheduled task that continues another one is for its worker from its start', async () => {
    const before = await run({}, { worker_id: 'home' });
    await api.report(before);
    const { agent_id, id: continue_of } = before.task;
    const { id } = await api.createTask(agent_id, { continue_of, scheduled_at: inMs(4_000) });
    const away = api.requestLease(agent_id, { worker_id: 'away', wait_seconds: 30 });
    expect((await api.lease(agent_id, { worker_id: 'home', wait_seconds: 30 })).task.id).toBe(id);
    const other = await api.createTask(agent_id);
    expect((await away).json).toMatchObject({ leases: [{ task: { id: other.id } }] });
  });

  test.concurrent('a repeated request gets the first response though its times have passed', async () => {
    const path = `/agents/${(await api.createAgent()).id}/tasks`;
    const body = { message: 'x', scheduled_at: inMs(4_000) };
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await api.call('POST', path, { body, headers });
    await sleep(4_500);
    expectResponse(await api.call('POST', path, { body, headers }), 201, first.json);
    expectError(await api.call('POST', path, { body }), 422, 'semantic_error');
    const other = await api.call('POST', path, { body: { ...body, message: 'y' }, headers });
    expect(other.json).toMatchObject({ details: { fields: [{ path: 'Idempotency-Key' }] } });
  });
}
