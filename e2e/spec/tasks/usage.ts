import { describe, expect, test } from '@jest/globals';
import { type Api, type Lease, pathOf } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { expectError, expectInvalid, expectNoBody, expectResponse } from '../expectations.ts';

/** The policy by which a failed task is ready again at once. */
const AT_ONCE = { retry_policy: { strategy: 'fixed', delay_seconds: 0 } };

/** Usage in tokens that differ by `scale`. */
export const usage = (scale: number) => ({
  input_tokens: 10 * scale,
  cached_input_tokens: 4 * scale,
  output_tokens: 3 * scale,
  reasoning_tokens: scale,
});
export const cost = (amount: number, estimated = false) => ({ amount, currency: 'USD', estimated });

const CASES: Record<string, [fields: Record<string, unknown>, ...paths: string[]]> = {
  'tokens that are no whole numbers': [
    { usage: { input_tokens: 1.5, output_tokens: -1, cached_input_tokens: '1', reasoning_tokens: 1e12 } },
    ...Object.keys(usage(1)).map((name) => `usage.${name}`),
  ],
  'usage without tokens': [{ usage: {} }, 'usage.input_tokens', 'usage.output_tokens'],
  'more cached than input tokens': [
    { usage: { input_tokens: 1, cached_input_tokens: 2, output_tokens: 1 } },
    'usage.cached_input_tokens',
  ],
  'more reasoning than output tokens': [
    { usage: { input_tokens: 1, output_tokens: 1, reasoning_tokens: 2 } },
    'usage.reasoning_tokens',
  ],
  'an unknown field': [{ usage: { ...usage(1), total: 1 } }, 'usage.total'],
  'values of another type': [{ usage: 5, cost: 5, model: 5 }, 'usage', 'cost', 'model'],
  'a negative amount in another currency': [{ cost: { amount: -1, currency: 'EUR' } }, 'cost.amount', 'cost.currency'],
  'a cost above a million': [{ cost: cost(1_000_001) }, 'cost.amount'],
  'a model of 129 characters': [{ model: 'x'.repeat(129) }, 'model'],
  'an empty model': [{ model: '' }, 'model'],
};

/** docs/contract.md "Tasks": usage and cost. */
export function specifyUsage(api: Api): void {
  const run = async (fields = {}) => api.createRunning((await api.createAgent()).id, { ...AT_ONCE, ...fields });
  const beat = async (held: Lease, fields: Record<string, unknown>) =>
    expectStatus(await api.heartbeat(held, fields), 200);
  const report = async (held: Lease, fields: Record<string, unknown>) =>
    expectStatus(await api.report(held, fields), 200);

  test('the attempts of a task are summed, and in each the last report counts', async () => {
    const first = await run();
    await beat(first, { usage: usage(1), cost: cost(0.1), model: 'a' });
    await beat(first, { usage: usage(2), progress: { percent: 5 } });
    expect(await api.readTask(first.task)).toMatchObject({ usage: null, cost: null });
    expect(await api.readAttempts(first.task)).toMatchObject([
      { outcome: 'running', usage: usage(2), cost: cost(0.1), model: 'a' },
    ]);
    await report(first, { status: 'failed', cost: cost(0.2, true) });
    await report(await api.lease(first.task.agent_id), { usage: usage(5), cost: cost(0.1) });
    expect(await api.readTask(first.task)).toMatchObject({
      status: 'completed',
      usage: usage(7),
      cost: cost(0.3, true),
    });
    expect(await api.readAttempts(first.task)).toMatchObject([
      { outcome: 'failed', usage: usage(2), cost: cost(0.2, true), model: 'a' },
      { outcome: 'completed', usage: usage(5), cost: cost(0.1), model: null },
    ]);
  });

  test('what a released attempt has used counts, which is no attempt otherwise', async () => {
    const held = await run({ max_cost: { amount: 0.1, currency: 'USD' } });
    await beat(held, { usage: usage(1), cost: cost(0.2) });
    expectNoBody(await api.release(held), 204);
    const expected = { status: 'pending', attempt: 0, usage: usage(1), cost: cost(0.2) };
    expect(await api.readTask(held.task)).toMatchObject(expected);
    expect(await api.readAttempts(held.task)).toEqual([]);
    const all = await api.get(`${pathOf(held.task)}/attempts?all=true`);
    expect(all.json).toMatchObject([{ number: 1, outcome: 'released', usage: usage(1), cost: cost(0.2) }]);
    expectInvalid(await api.get(`${pathOf(held.task)}/attempts?all=yes`), 'all');
  });

  test('a cancelled attempt and a deleted task count', async () => {
    const cancelled = await run();
    expectStatus(await api.cancel(cancelled.task), 202);
    await report(cancelled, { status: 'cancelled', usage: usage(1) });
    expect(await api.readTask(cancelled.task)).toMatchObject({ status: 'cancelled', usage: usage(1), cost: null });
    const { agent_id } = cancelled.task;
    const deleted = await api.createRunning(agent_id);
    await beat(deleted, { usage: usage(2) });
    expectNoBody(await api.call('DELETE', pathOf(deleted.task)), 204);
    const { total } = expectStatus<{ total: object }>(await api.get(`/agents/${agent_id}/usage`), 200);
    expect(total).toMatchObject({ attempts: 2, ...usage(3) });
  });

  test('a failed attempt is not retried once all have cost the limit', async () => {
    const first = await run({ max_attempts: 10, max_cost: { amount: 0.3, currency: 'USD' } });
    const { agent_id } = first.task;
    const failed = { status: 'failed', error: { code: 'x', message: 'y', retryable: true } };
    await report(first, { ...failed, cost: cost(0.1) });
    await report(await api.lease(agent_id), { ...failed, cost: cost(0.199999) });
    expect(await api.readTask(first.task)).toMatchObject({ status: 'pending', cost: cost(0.299999) });
    const end = await report(await api.lease(agent_id), { ...failed, cost: cost(0.000001) });
    expect(end).toMatchObject({ status: 'failed', attempt: 3, error: failed.error, cost: cost(0.3) });
  });

  test('sums of amounts are exact', async () => {
    const { id } = await api.createAgent();
    const task = await api.createTask(id, { ...AT_ONCE, max_attempts: 10 });
    for (let attempt = 1; attempt <= 10; attempt++) {
      await report(await api.lease(id), { status: 'failed', cost: cost(0.1000004) });
    }
    expect((await api.readTask(task)).cost).toEqual(cost(1));
    expect((await api.readAttempts(task))[0]).toMatchObject({ cost: cost(0.1) });
  });

  test('a repeated result is recognised by what it says of usage too', async () => {
    const held = await run();
    const result = { usage: usage(1), cost: cost(0.1), model: 'a' };
    const first = await report(held, result);
    expectResponse(await api.report(held, result), 200, first);
    expectError(await api.report(held, { ...result, usage: usage(2) }), 409, 'lease_lost');
    expectError(await api.report(held), 409, 'lease_lost');
  });

  test('null is for what is not known, and keeps what was known before', async () => {
    const held = await run();
    const nothing = { usage: null, cost: null, model: null };
    await beat(held, nothing);
    expect(await api.readAttempts(held.task)).toMatchObject([nothing]);
    await beat(held, { usage: { input_tokens: 1, output_tokens: 2 }, cost: { amount: 1, currency: 'USD' } });
    await report(held, nothing);
    const used = { input_tokens: 1, cached_input_tokens: 0, output_tokens: 2, reasoning_tokens: 0 };
    expect(await api.readAttempts(held.task)).toMatchObject([{ usage: used, cost: cost(1), model: null }]);
  });

  describe('a heartbeat and a result are 400 with the names of their fields:', () => {
    test.each(Object.entries(CASES))('%s', async (_what, [fields, ...paths]) => {
      const held = await run();
      for (const response of [await api.heartbeat(held, fields), await api.report(held, fields)]) {
        expectInvalid(response, ...paths);
      }
    });
  });
}
