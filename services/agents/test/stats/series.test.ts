import { expect, test } from '@jest/globals';
import { startService } from '../support/start-service.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const service = await startService();
const { http, redis, keys } = service;

const readSeries = async (query: Record<string, unknown> = {}) =>
  (await http.get(`/stats/series?${new URLSearchParams(query as Record<string, string>)}`).expect(200)).body;

type Step = Record<'created' | 'completed' | 'failed' | 'cancelled' | 'retried', number>;
const sum = (steps: Step[], counter: keyof Step) => steps.reduce((total, step) => total + step[counter], 0);

test('counts each step of the window, however it is divided', async () => {
  const to = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
  const counts = Array.from({ length: 48 * 60 }, (_, at) => (at * 7) % 11);
  for (const [ago, count] of counts.entries()) {
    const minute = (to - (ago + 1) * MINUTE_MS) / MINUTE_MS;
    const series = keys.series(Math.floor(minute / 60), { type: 'filled' });
    await redis.hset(series, `${minute % 60}:created`, count, `${minute % 60}:leased:${ago % 50}`, 1);
  }
  for (const [window, step] of [
    [60, 60],
    [3_600, 60],
    [43_200, 60],
    [7_200, 2_400],
    [172_800, 240],
    [172_800, 86_400],
    [86_400, 86_400],
  ] as const) {
    const { steps, from, to: end } = await readSeries({ window, step, type: 'filled' });
    expect(steps).toHaveLength(window / step);
    expect(Date.parse(end) - Date.parse(from)).toBe(window * 1_000);
    // A minute may have begun meanwhile.
    const late = (Date.parse(end) - to) / MINUTE_MS;
    const expected = steps.map((_: unknown, at: number) => {
      const first = (window - (at + 1) * step) / 60 - late;
      return counts.slice(Math.max(first, 0), first + step / 60).reduce((total, count) => total + count, 0);
    });
    expect(steps.map(({ created }: Step) => created)).toEqual(expected);
    expect(steps.map(({ at }: { at: string }) => Date.parse(at))).toEqual(
      steps.map((_: unknown, at: number) => Date.parse(from) + at * step * 1_000),
    );
  }
  for (const key of await redis.keys(`${keys.prefix}series:type:filled:*`)) await redis.del(key);
});

test('keeps the counts of an hour for at least 49 hours, and none of a deleted agent', async () => {
  const agentId = await service.createAgent('gemini');
  await service.createTask(agentId);
  const hour = Math.floor(Date.now() / HOUR_MS);
  const found = await redis.keys(`${keys.prefix}series:*`);
  expect(found).toEqual(expect.arrayContaining([keys.series(hour), keys.series(hour, { agent: agentId })]));
  for (const key of found) expect(await redis.ttl(key)).toBeGreaterThan(49 * 3_600);
  await http.delete(`/agents/${agentId}`).expect(204);
  expect(await redis.keys(`${keys.prefix}series:agent:${agentId}:*`)).toEqual([]);
  expect(sum((await readSeries({ type: 'gemini' })).steps, 'created')).toBe(1);
});
