import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { type Api, type Lease, pathOf, type Task } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { expectInvalid } from '../expectations.ts';

const DELAYED = { strategy: 'fixed', delay_seconds: 600, jitter: 0 };

/** docs/contract.md "Leases": a provider that takes no calls. */
export function specifyTaskParking(api: Api): void {
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const readWaiting = async (task: Task) => (await api.get(`${pathOf(task)}/waiting`)).json as Record<string, unknown>;
  async function park(lease: Lease, retry_at: string, more: Record<string, unknown> = {}): Promise<Task> {
    const error = { code: 'rate_limited', message: 'Too many', retryable: true, retry_at };
    return expectStatus<Task>(await api.report(lease, { status: 'failed', error, ...more }), 200);
  }

  test('a task whose provider takes no calls is parked until it does, and the attempt does not count', async () => {
    const { id } = await api.createAgent();
    const lease = await api.createRunning(id, { max_attempts: 1, retry_policy: DELAYED });
    const retry_at = inMs(3_600_000);
    const cost = { amount: 0.5, currency: 'USD', estimated: false };
    const parked = await park(lease, retry_at, { cost });
    expect(parked).toMatchObject({
      ...{ status: 'pending', attempt: 0, next_attempt_at: retry_at, worker_id: null, started_at: null, cost },
      error: { code: 'rate_limited', message: 'Too many', retryable: true },
    });
    expect(Object.keys(parked.error as object)).toHaveLength(3);
    const ms = (time: unknown) => Date.parse(String(time));
    const laterBy = ms(parked.expires_at) - ms(lease.task.expires_at);
    expect(laterBy).toBe(ms(retry_at) - ms(parked.updated_at));
    expect(await park(lease, retry_at, { cost })).toEqual(parked);
    const since = parked.updated_at;
    expect(await readWaiting(parked)).toEqual({ reason: 'provider_quota', since, until: retry_at });
    expect(await api.readAttempts(parked)).toMatchObject([{ number: 1, outcome: 'parked', cost }]);
    expect((await api.requestLease(id)).status).toBe(204);
    const events = (await api.get(`${pathOf(parked)}/events`)).json as { type: string; data?: object }[];
    expect(events.at(-1)).toMatchObject({
      ...{ type: 'task.parked', status: 'pending' },
      data: { reason: 'provider_quota', until: retry_at, worker_id: 'e2e' },
    });
  });

  test('its session goes on, before tasks that came earlier to the queue', async () => {
    const { id } = await api.createAgent();
    const lease = await api.createRunning(id);
    await api.createTask(id);
    const session = { runtime: 'codex', id: 's1', data: Buffer.from('a session').toString('base64') };
    await park(lease, inMs(-1_000), { session, state: { at: 1.0 } });
    const next = (await api.lease(id)) as Lease & { resume: unknown };
    expect(next).toMatchObject({ attempt: 1, resume: { session, state: { at: 1 }, answers: [] } });
    expect(next.task.id).toBe(lease.task.id);
    await park(next, inMs(300));
    const again = await until(async () => (await api.requestLease(id)).json as { leases: Lease[] } | undefined, {
      holds: (found) => found?.leases[0]?.task.id === lease.task.id,
    });
    expectStatus(await api.report(again?.leases[0] as Lease), 200);
    expect(await api.readAttempts(lease.task)).toMatchObject([
      { number: 1, outcome: 'parked' },
      { number: 1, outcome: 'parked' },
      { number: 1, outcome: 'completed' },
    ]);
  });

  test('it is parked for seven days at most, only for this reason, and until somebody replaces it', async () => {
    const { id } = await api.createAgent();
    const before = Date.now();
    const parked = await park(await api.createRunning(id), inMs(30 * 86_400_000));
    const days = (Date.parse(String(parked.next_attempt_at)) - before) / 86_400_000;
    expect(days).toBeCloseTo(7, 2);
    const replaced = await api.call('PUT', pathOf(parked), { body: { message: 'Now' } });
    expect(replaced.json).toMatchObject({ next_attempt_at: null, status: 'pending' });
    const next = await api.lease(id);
    const other = { code: 'overloaded', message: 'x', retryable: true, retry_at: inMs(3_600_000) };
    expect((await api.report(next, { status: 'failed', error: other })).json).toMatchObject({ attempt: 1 });
    const final = { ...other, code: 'rate_limited', retryable: false };
    const lease = await api.createRunning(id);
    expect((await api.report(lease, { status: 'failed', error: final })).json).toMatchObject({ status: 'failed' });
    const wrong = { ...other, retry_at: 'soon' };
    expectInvalid(await api.report(await api.createRunning(id), { status: 'failed', error: wrong }), 'error.retry_at');
  });

  test('a parked task can be cancelled and deleted; one that is to be cancelled ends', async () => {
    const { id } = await api.createAgent();
    const [one, other, last] = [await api.createRunning(id), await api.createRunning(id), await api.createRunning(id)];
    const parked = await park(one, inMs(3_600_000));
    expect((await api.cancel(parked)).json).toMatchObject({ status: 'cancelled' });
    expect((await api.call('DELETE', pathOf(await park(other, inMs(3_600_000))))).status).toBe(204);
    await api.cancel(last.task);
    expect(await park(last, inMs(3_600_000))).toMatchObject({ status: 'cancelled' });
    expect(await api.readAttempts(last.task)).toMatchObject([{ outcome: 'parked' }]);
  });

  test('a worker gets no task of a provider that it says is limited, by type or by runtime', async () => {
    const worker_id = `limited-${crypto.randomUUID()}`;
    const { id } = await api.createAgent({ type: 'claude' });
    const task = await api.createTask(id);
    const pause = (provider: string, ms = 3_600_000) => ({ provider, until: inMs(ms), reason: 'rate limit' });
    const ask = async (paused: unknown[], more = {}) =>
      (await api.requestLease(id, { worker_id, paused, ...more })).status;
    expect(await ask([pause('anthropic'), pause('openai')])).toBe(204);
    const list = async () => (await api.get('/workers?limit=1000')).json as Record<string, unknown>[];
    const seen = await until(async () => (await list()).find((worker) => worker.worker_id === worker_id));
    expect(seen?.paused).toMatchObject([pause('anthropic'), pause('openai')].map(({ until: _, ...rest }) => rest));
    const ofType = { worker_id, types: ['claude'], paused: [pause('anthropic')] };
    expect((await api.call('POST', '/leases', { body: ofType })).status).toBe(204);
    expect(await ask([], { paused_until: inMs(3_600_000), pause_reason: 'rate limit' })).toBe(204);
    expect(await ask([pause('anthropic', -1)])).toBe(201);
    expectStatus(await api.call('DELETE', pathOf(task)), 204);

    const runtime = { runtime: 'codex' };
    expectStatus(await api.call('PUT', `/agents/${id}/definition`, { body: runtime }), 201);
    await api.createTask(id);
    const codex = { labels: ['runtime:codex'], accepts: ['definitions'] };
    expect(await ask([pause('openai')], codex)).toBe(204);
    expect(await ask([pause('google')], codex)).toBe(201);
    expect((await api.requestLease(id, { paused: [{ provider: 'anthropic' }] })).status).toBe(400);
    expect((await api.requestLease('unknown', { paused_until: inMs(60_000) })).status).toBe(404);
  });

  test('a wait of a paused worker takes no wakeup from another one', async () => {
    const { id } = await api.createAgent({ type: 'claude' });
    const paused = [{ provider: 'anthropic', until: inMs(3_600_000) }];
    const wait_seconds = 30;
    const first = api.requestLease(id, { worker_id: 'paused', paused, wait_seconds: 1 });
    const second = api.requestLease(id, { worker_id: 'open', wait_seconds });
    await api.createTask(id);
    expect((await second).status).toBe(201);
    expect((await first).status).toBe(204);
  });
}
