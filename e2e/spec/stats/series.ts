import { expect, test } from '@jest/globals';
import type { Agent, Api } from '../../harness/api.ts';
import { expectInvalid, TIMESTAMP } from '../expectations.ts';

interface Step {
  at: string;
  created: number;
  completed: number;
  failed: number;
  cancelled: number;
  retried: number;
  wait_ms: { p50: number; p95: number } | null;
  run_ms: { p50: number; p95: number } | null;
}

interface Series {
  from: string;
  to: string;
  step: number;
  steps: Step[];
}

const FIELDS = ['at', 'created', 'completed', 'failed', 'cancelled', 'input_requested', 'retried', 'wait_ms', 'run_ms'];
const NOTHING = {
  created: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  input_requested: 0,
  retried: 0,
  wait_ms: null,
  run_ms: null,
};

/** docs/contract.md "Statistics": `GET /stats/series`. */
export function specifySeries(api: Api): void {
  const get = (query: Record<string, string | number>) =>
    api.get(`/stats/series?${new URLSearchParams(query as Record<string, string>)}`);
  const read = async (query: Record<string, string | number> = {}) => (await get(query)).json as Series;
  /** All of the last five minutes as one step. */
  const readOne = async (query: Record<string, string>) => (await read({ window: 300, step: 300, ...query })).steps[0];

  test('by default it has the sixty minutes until the end of the present one', async () => {
    const { from, to, step, steps } = await read();
    expect([step, steps.length, Date.parse(to) - Date.parse(from)]).toEqual([60, 60, 3_600_000]);
    expect(Date.parse(to) % 60_000).toBe(0);
    expect(Math.abs(Date.parse(to) - 30_000 - Date.now())).toBeLessThan(60_000);
    for (const [at, one] of steps.entries()) {
      expect(Object.keys(one)).toEqual(FIELDS);
      expect(one.at).toMatch(TIMESTAMP);
      expect(Date.parse(one.at)).toBe(Date.parse(from) + at * 60_000);
    }
  });

  test.each([
    [60, 60],
    [172_800, 240],
    [172_800, 86_400],
    [43_200, 60],
    [3_600, 900],
  ])('a window of %d s has steps of %d s, empty ones included', async (window, step) => {
    const { steps, ...series } = await read({ window, step });
    expect(steps).toHaveLength(window / step);
    expect(series.step).toBe(step);
    expect(Date.parse(series.to) - Date.parse(series.from)).toBe(window * 1_000);
  });

  test('any other window or step is 400', async () => {
    for (const window of ['59', '172801', '0', '-60', '1e3', '60.5', 'x', ''])
      expectInvalid(await get({ window }), 'window');
    for (const step of ['0', '59', '90', '86460', '-60', 'x', '1e2', '']) expectInvalid(await get({ step }), 'step');
    expectInvalid(await get({ window: 3_600, step: 420 }), 'step');
    expectInvalid(await get({ window: 3_600, step: 7_200 }), 'step');
    expectInvalid(await get({ window: 3_630, step: 60 }), 'step');
    expectInvalid(await get({ window: 43_260, step: 60 }), 'step');
    expectInvalid(await get({ window: 172_800, step: 180 }), 'step');
    expectInvalid(await api.get('/stats/series?window=3600&window=7200'), 'window');
    expectInvalid(await api.get('/stats/series?type=a&type=b'), 'type');
  });

  test('it counts what happens to tasks, by agent and type, at once', async () => {
    const agent = await api.createAgent({ type: api.types[1] });
    const before = (await readOne({ type: agent.type })) as Step;
    const failed = { status: 'failed', error: { code: 'x', message: 'x', retryable: false } };
    for (const report of [{ status: 'completed' }, failed, { status: 'cancelled' }, { status: 'failed' }]) {
      await api.report(await api.createRunning(agent.id, { max_attempts: 2 }), report);
    }
    const held = await api.createRunning(agent.id);
    await api.release(held);
    await api.cancel(held.task);
    const tasks = [{ message: 'one' }, { message: 'two' }];
    await api.call('POST', `/agents/${agent.id}/task-batches`, { body: { tasks } });
    const of = (step: Step | undefined) => FIELDS.slice(1, 7).map((name) => Number(step?.[name as keyof Step]));
    const step = (await readOne({ agent_id: agent.id })) as Step;
    expect(of(step)).toEqual([7, 1, 1, 2, 0, 1]);
    for (const percentiles of [step.wait_ms, step.run_ms]) {
      expect(percentiles).toEqual({ p50: expect.any(Number), p95: expect.any(Number) });
      expect(Number(percentiles?.p95)).toBeGreaterThanOrEqual(Number(percentiles?.p50));
      expect(Number(percentiles?.p95)).toBeLessThan(60_000);
    }
    const after = await readOne({ type: agent.type });
    expect(of(after).map((count, at) => count - Number(of(before)[at]))).toEqual([7, 1, 1, 2, 0, 1]);
    expect(of(await readOne({ agent_id: agent.id, type: agent.type }))).toEqual([7, 1, 1, 2, 0, 1]);
    await api.call('DELETE', `/agents/${agent.id}`);
    expect(await readOne({ agent_id: agent.id })).toMatchObject(NOTHING);
    expect(of(await readOne({ type: agent.type }))).toEqual(of(after));
  });

  test('a filter that nothing matches has zeros', async () => {
    const agent: Agent = await api.createAgent({ type: api.types[1] });
    await api.createTask(agent.id);
    for (const value of ['nope', '*', 'x:y', '\u0000', '__proto__', '😀', '../x', 'x'.repeat(2_000)]) {
      for (const name of ['type', 'agent_id']) expect(await readOne({ [name]: value })).toMatchObject(NOTHING);
    }
    expect(await readOne({ agent_id: agent.id, type: String(api.types[0]) })).toMatchObject(NOTHING);
    expect((await readOne({ agent_id: agent.id, type: '' }))?.created).toBe(1);
    await api.call('DELETE', `/agents/${agent.id}`);
  });
}
