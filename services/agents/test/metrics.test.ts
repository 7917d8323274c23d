import { metricIn } from '@agent-fleet/shared/testing/metrics';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { startService } from './support/start-service.ts';

const service = await startService({ ownRedis: true });

test('the metrics count tasks, leases, retries and ends, and measure requests by operation', async () => {
  const agent = await service.createAgent('claude');
  await service.createTasks(agent, 3);
  const failed = (await service.lease(agent)).body.leases[0];
  const error = { code: 'broken', message: 'x', retryable: true };
  await service.report(failed, { status: 'failed', error }).expect(200);
  const done = (await service.lease(agent)).body.leases[0];
  await service.report(done, { status: 'completed' }).expect(200);
  await service.lease(agent);
  const text = await service.metrics();
  const read = (name: string) => metricIn(text, name);
  expect(read('agents_tasks_created_total')).toBe(3);
  expect(read('agents_leases_total')).toBe(3);
  expect(read('agents_task_retries_total{outcome="failed"}')).toBe(1);
  expect(read('agents_tasks_ended_total{status="completed"}')).toBe(1);
  expect(read('agents_tasks{type="claude",status="pending"}')).toBe(1);
  expect(read('agents_tasks{type="claude",status="running"}')).toBe(1);
  const leases = '{method="POST",route="/agents/{agent_id}/leases",status="201"}';
  expect(read(`http_request_duration_seconds_count${leases}`)).toBe(3);
  expect(read('http_requests_in_flight')).toBe(0);
  expect(read('redis_up')).toBe(1);
  expect(read('redis_command_duration_seconds_count')).toBeGreaterThan(0);
});

test('the wait of the next task counts from when it is ready, and the age of the oldest from its creation', async () => {
  const agent = await service.createAgent('gpt');
  const scheduled_at = new Date(Date.now() + 3_000).toISOString();
  const { created_at } = await service.createTask(agent, { scheduled_at });
  const read = async () => {
    const text = await service.metrics();
    return ['next_task_wait', 'oldest_pending_task_age'].map((name) =>
      metricIn(text, `agents_${name}_seconds{type="gpt"}`),
    );
  };
  expect((await read())[0]).toBeUndefined();
  const [wait = 0, age = 0] = await until(read, { holds: ([first]) => Boolean(first) });
  expect(age - wait).toBeCloseTo((Date.parse(scheduled_at) - Date.parse(created_at)) / 1_000);
});

test('the metrics measure from an event to its delivery', async () => {
  const agent = await service.createAgent('gemini');
  const task = await service.createTask(agent);
  const waiting = service.http.get(`/agents/${agent}/tasks/${task.id}?wait=5`).then((response) => response);
  const count = async () => metricIn(await service.metrics(), 'agents_event_lag_seconds_count') ?? 0;
  await until(async () => metricIn(await service.metrics(), 'http_requests_in_flight') === 1);
  await service.http.put(`/agents/${agent}/tasks/${task.id}/cancellation`).expect(200);
  expect((await waiting).body.status).toBe('cancelled');
  expect(await count()).toBeGreaterThan(0);
});

test('while Redis is unavailable, the metrics have all but its values, and responses name the cause', async () => {
  await service.ownRedis?.kill();
  // The first read waits for Redis, and later ones do not.
  for (const [path, cause] of [
    ['/agents', 'redis_timeout'],
    ['/agents', 'redis_away'],
    ['/agents?paused=false', 'redis_away'],
  ] as const) {
    const refused = await service.http.get(path).expect(503);
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'x-fleet-error': 'unavailable',
      'x-fleet-rejected-by': cause,
    });
  }
  const begin = Date.now();
  const text = await service.metrics();
  expect(Date.now() - begin).toBeLessThan(2_000);
  expect(metricIn(text, 'redis_up')).toBe(0);
  expect(metricIn(text, 'redis_errors_total{cause="away"}')).toBeGreaterThan(0);
  expect(metricIn(text, 'agents_tasks_created_total')).toBeGreaterThan(0);
  expect(text).not.toMatch(/^(agents_tasks\{|agents_workers )/m);
});
