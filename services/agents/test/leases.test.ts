import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type StartedService, startService } from './start-service.ts';

let service: StartedService;
let agentId: string;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  agentId = await createAgent();
});

async function createAgent(type = 'claude'): Promise<string> {
  return (await service.http.post('/agents').send({ name: 'x', type }).expect(201)).body.id;
}

async function createTask(fields: object = {}, agent = agentId) {
  return (
    await service.http
      .post(`/agents/${agent}/tasks`)
      .send({ message: 'Do it', ...fields })
      .expect(201)
  ).body;
}

async function lease(fields: object = {}, agent = agentId) {
  const { body } = await service.http
    .post(`/agents/${agent}/leases`)
    .send({ worker_id: 'w', ...fields })
    .expect(201);
  return body.leases[0];
}

const readTask = async (id: string) => (await service.http.get(`/agents/${agentId}/tasks/${id}`).expect(200)).body;
const agentStatus = async () => (await service.http.get(`/agents/${agentId}`).expect(200)).body.status;
const putResult = (leased: { id: string; token: string }, fields: object) =>
  service.http.put(`/leases/${leased.id}/result`).send({ token: leased.token, ...fields });
const release = (leased: { id: string; token: string }) =>
  service.http.delete(`/leases/${leased.id}`).set('x-lease-token', leased.token);

test('a task is leased, kept by heartbeats and completed', async () => {
  const { id } = await createTask();
  const leased = await lease({ lease_seconds: 30 });
  expect(leased).toEqual({
    id: expect.any(String),
    token: expect.any(String),
    attempt: 1,
    expires_at: expect.any(String),
    heartbeat_interval_seconds: 10,
    task: expect.objectContaining({ id, status: 'running', attempt: 1, worker_id: 'w' }),
  });
  expect(await readTask(id)).toEqual(leased.task);
  expect(await agentStatus()).toBe('active');
  const progress = { percent: 40, message: 'Reading' };
  const beat = await service.http
    .put(`/leases/${leased.id}/heartbeat`)
    .send({ token: leased.token, progress })
    .expect(200);
  expect(beat.body).toEqual({ expires_at: expect.any(String), cancel_requested: false });
  expect((await readTask(id)).progress).toEqual(progress);
  const ended = await putResult(leased, { status: 'completed', result: { ok: true } }).expect(200);
  expect(ended.body).toMatchObject({ id, status: 'completed', result: { ok: true }, error: null, progress });
  expect(ended.body.completed_at).toBe(ended.body.updated_at);
  expect(await agentStatus()).toBe('idle');
  const attempts = await service.http.get(`/agents/${agentId}/tasks/${id}/attempts`).expect(200);
  expect(attempts.body).toMatchObject([{ number: 1, worker_id: 'w', outcome: 'completed', error: null }]);
});

test('204 when there is nothing, at once or after the wait', async () => {
  await service.http.post(`/agents/${agentId}/leases`).send({ worker_id: 'w' }).expect(204, '');
  await service.http
    .post('/leases')
    .send({ worker_id: 'w', types: ['gpt'], wait_seconds: 1 })
    .expect(204, '');
});

test('priority goes first, then who came first', async () => {
  const ids = [];
  for (const priority of [5, 9, 1, 5]) ids.push((await createTask({ priority })).id);
  const { body } = await service.http
    .post(`/agents/${agentId}/leases`)
    .send({ worker_id: 'w', max_tasks: 20 })
    .expect(201);
  expect(body.leases.map(({ task }: { task: { id: string } }) => task.id)).toEqual([ids[2], ids[0], ids[3], ids[1]]);
});

describe('a result', () => {
  test('that is repeated is answered again, another one is refused', async () => {
    await createTask();
    const leased = await lease();
    const first = await putResult(leased, { status: 'completed', result: { a: 1, b: 2 } }).expect(200);
    const again = await putResult(leased, { status: 'completed', result: { b: 2, a: 1 } }).expect(200);
    expect(again.body).toEqual(first.body);
    const other = await putResult(leased, { status: 'completed', result: { a: 2 } }).expect(409);
    expect(other.body.error).toBe('lease_lost');
    await putResult({ ...leased, token: 'x' }, { status: 'completed', result: { a: 1, b: 2 } }).expect(409);
  });

  test('failed puts the task back with a delay, and ends it with the last attempt', async () => {
    const retry_policy = { strategy: 'fixed', delay_seconds: 0, jitter: 0 };
    const { id } = await createTask({ max_attempts: 2, retry_policy });
    const error = { code: 'exit_1', message: 'no', retryable: true };
    const back = await putResult(await lease(), { status: 'failed', error }).expect(200);
    expect(back.body).toMatchObject({ status: 'pending', attempt: 1, error, worker_id: null, started_at: null });
    expect(back.body.next_attempt_at).toBe(back.body.updated_at);
    expect(await agentStatus()).toBe('idle');
    const end = await putResult(await lease(), { status: 'failed', error }).expect(200);
    expect(end.body).toMatchObject({ status: 'failed', attempt: 2, error, next_attempt_at: null });
    expect(await agentStatus()).toBe('error');
    const attempts = (await service.http.get(`/agents/${agentId}/tasks/${id}/attempts`)).body;
    expect(attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['failed', 'failed']);
  });

  test('failed and not retryable ends the task at once', async () => {
    await createTask();
    const error = { code: 'bad_input', message: 'no', retryable: false };
    const { body } = await putResult(await lease(), { status: 'failed', error }).expect(200);
    expect(body).toMatchObject({ status: 'failed', attempt: 1, error });
  });

  test.each([
    ['status', { status: 'done' }],
    ['error', { status: 'completed', error: { code: 'x', message: 'x' } }],
    ['error.code', { status: 'failed', error: { code: '', message: 'x' } }],
    ['result', { status: 'completed', result: 'x'.repeat(1024 * 1024) }],
  ])('with a bad %s is refused', async (path, fields) => {
    const { body } = await putResult({ id: 'any', token: 'x' }, fields as object).expect(400);
    expect(body.details.fields.map((field: { path: string }) => field.path)).toEqual([path]);
  });

  test('of 1.5 MiB is too large', async () => {
    await putResult({ id: 'any', token: 'x' }, { status: 'completed', result: 'x'.repeat(1024 * 1536) }).expect(413);
  });
});

describe('a lease', () => {
  test('that is released does not count its attempt', async () => {
    const { id } = await createTask();
    const first = await lease();
    await release(first).expect(204);
    expect(await readTask(id)).toMatchObject({ status: 'pending', attempt: 0, worker_id: null });
    expect(await agentStatus()).toBe('idle');
    await release(first).expect(409);
    const second = await lease();
    expect(second.task).toMatchObject({ id, attempt: 1 });
    expect(second.id).not.toBe(first.id);
    await putResult(first, { status: 'completed' }).expect(409);
    await service.http.delete(`/leases/${second.id}`).expect(400);
  });

  test.each(['missing', '01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12.01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12.1'])(
    '%s is not there',
    async (id) => {
      const { body } = await service.http.put(`/leases/${id}/heartbeat`).send({ token: 'x' }).expect(404);
      expect(body).toEqual({ detail: 'Lease not found' });
    },
  );

  test('that a task has not had yet is not there', async () => {
    await createTask();
    const { id, token } = await lease();
    const later = id.replace(/\.1$/, '.2');
    await service.http.put(`/leases/${later}/heartbeat`).send({ token }).expect(404);
  });

  test('that runs out puts the task back at once; its holder changes nothing any more', async () => {
    const { id } = await createTask({ max_attempts: 2 });
    const leased = await lease({ lease_seconds: 5 });
    await until(async () => (await readTask(id)).status === 'pending');
    const task = await readTask(id);
    expect(task).toMatchObject({ attempt: 1, error: { code: 'lease_expired', retryable: true } });
    await putResult(leased, { status: 'completed' }).expect(409);
    await service.http.put(`/leases/${leased.id}/heartbeat`).send({ token: leased.token }).expect(409);
    expect(await readTask(id)).toEqual(task);
    const second = await lease({ lease_seconds: 5 });
    expect(second.attempt).toBe(2);
    await until(async () => (await readTask(id)).status === 'failed');
    expect(await agentStatus()).toBe('offline');
  });

  test('does not outlive the timeout of the attempt', async () => {
    const { id } = await createTask({ timeout_seconds: 5, max_attempts: 1 });
    const leased = await lease({ lease_seconds: 60 });
    const beat = await service.http.put(`/leases/${leased.id}/heartbeat`).send({ token: leased.token }).expect(200);
    expect(Date.parse(beat.body.expires_at) - Date.parse(leased.task.started_at)).toBe(5_000);
    await until(async () => (await readTask(id)).status === 'failed');
    expect(await readTask(id)).toMatchObject({ error: { code: 'timeout' } });
    expect(await agentStatus()).toBe('error');
  });
});

describe('a waiting worker', () => {
  test('gets a task as soon as it comes', async () => {
    const waiting = service.http
      .post(`/agents/${agentId}/leases`)
      .send({ worker_id: 'w', wait_seconds: 20 })
      .then((r) => r);
    await sleep(200);
    const { id } = await createTask();
    const { status, body } = await waiting;
    expect(status).toBe(201);
    expect(body.leases[0].task.id).toBe(id);
  });

  test('gets a task that was scheduled when its time has come', async () => {
    const { id } = await createTask({ scheduled_at: new Date(Date.now() + 5_000).toISOString() });
    await service.http.post(`/agents/${agentId}/leases`).send({ worker_id: 'w' }).expect(204);
    const leased = await lease({ wait_seconds: 20 });
    expect(leased.task.id).toBe(id);
    expect(Date.parse(leased.task.started_at)).toBeGreaterThanOrEqual(Date.parse(leased.task.scheduled_at));
  });

  test('by type gets the retry of another worker', async () => {
    const agent = await createAgent('gemini');
    await createTask({ retry_policy: { strategy: 'fixed', delay_seconds: 1, jitter: 0 } }, agent);
    const request = { worker_id: 'w', types: ['gemini'] };
    const first = (await service.http.post('/leases').send(request).expect(201)).body.leases[0];
    const waiting = service.http
      .post('/leases')
      .send({ ...request, wait_seconds: 20 })
      .then((r) => r);
    await putResult(first, { status: 'failed' }).expect(200);
    expect((await waiting).body.leases[0]).toMatchObject({ attempt: 2 });
  });
});

test('agents of a type take turns, however many tasks one has', async () => {
  const busy = await createAgent('gpt');
  const tasks = Array.from({ length: 200 }, () => ({ message: 'x' }));
  await service.http.post(`/agents/${busy}/task-batches`).send({ tasks }).expect(201);
  const quiet = await createAgent('gpt');
  await createTask({}, quiet);
  const { body } = await service.http
    .post('/leases')
    .send({ worker_id: 'w', types: ['gpt'], max_tasks: 3 })
    .expect(201);
  expect(body.leases.map(({ task }: { task: { agent_id: string } }) => task.agent_id)).toEqual([busy, quiet, busy]);
});
