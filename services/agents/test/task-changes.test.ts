import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type StartedService, startService } from './start-service.ts';

let service: StartedService;
let agentId: string;
let tasks: string;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  agentId = (await service.http.post('/agents').send({ name: 'x', type: 'claude' })).body.id;
  tasks = `/agents/${agentId}/tasks`;
});

const HOUR_MS = 3_600_000;
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();
const createTask = async (fields: object = {}) =>
  (
    await service.http
      .post(tasks)
      .send({ message: 'x', ...fields })
      .expect(201)
  ).body;

async function lease(fields: object = {}) {
  const { body } = await service.http
    .post(`/agents/${agentId}/leases`)
    .send({ worker_id: 'w', ...fields })
    .expect(201);
  return body.leases[0] as { id: string; token: string; task: { id: string } };
}

const heartbeat = ({ id, token }: { id: string; token: string }) =>
  service.http.put(`/leases/${id}/heartbeat`).send({ token });
const report = ({ id, token }: { id: string; token: string }, fields: object) =>
  service.http.put(`/leases/${id}/result`).send({ token, ...fields });
const agentStatus = async () => (await service.http.get(`/agents/${agentId}`)).body.status;

describe('PUT of a task', () => {
  test('replaces what was given, and keeps the rest', async () => {
    const before = await createTask({ input: 1, tags: ['a'], priority: 2, metadata: { a: 1 } });
    const { body, headers } = await service.http
      .put(`${tasks}/${before.id}`)
      .send({ message: 'y', tags: ['b'] })
      .expect(200);
    const { updated_at, ...rest } = before;
    expect(body).toEqual({
      ...rest,
      updated_at: expect.any(String),
      message: 'y',
      input: null,
      tags: ['b'],
      priority: 5,
      metadata: null,
    });
    const read = await service.http.get(`${tasks}/${before.id}`);
    expect(read.body).toEqual(body);
    expect(read.headers.etag).toBe(headers.etag);
    expect((await service.http.get(`/tasks?agent_id=${agentId}&tag=a`)).body).toEqual([]);
    expect((await service.http.get(`/tasks?agent_id=${agentId}&tag=b`)).body).toEqual([body]);
  });

  test('moves the task to its new turn and time', async () => {
    const [first, second] = [await createTask(), await createTask()];
    await service.http.put(`${tasks}/${second.id}`).send({ message: 'x', priority: 1 }).expect(200);
    await service.http
      .put(`${tasks}/${first.id}`)
      .send({ message: 'x', scheduled_at: fromNow(HOUR_MS) })
      .expect(200);
    expect((await lease()).task.id).toBe(second.id);
    await service.http.post(`/agents/${agentId}/leases`).send({ worker_id: 'w' }).expect(204);
    await service.http.put(`${tasks}/${first.id}`).send({ message: 'x' }).expect(200);
    expect((await lease({ wait_seconds: 10 })).task.id).toBe(first.id);
  });

  test('honours If-Match', async () => {
    const { id } = await createTask();
    const { etag } = (await service.http.get(`${tasks}/${id}`)).headers;
    const put = (tag: string) => service.http.put(`${tasks}/${id}`).set('if-match', tag).send({ message: 'y' });
    await put(etag as string).expect(200);
    const { body } = await put(etag as string).expect(412);
    expect(body.error).toBe('precondition_failed');
    await service.http
      .delete(`${tasks}/${id}`)
      .set('if-match', etag as string)
      .expect(412);
    await put('*').expect(200);
  });

  test('is refused once the task has begun', async () => {
    const { id } = await createTask();
    await lease();
    const { body } = await service.http.put(`${tasks}/${id}`).send({ message: 'y' }).expect(409);
    expect(body.error).toBe('task_not_editable');
  });

  test('is refused when it is impossible, and 404 goes before 400', async () => {
    const { id } = await createTask();
    await service.http
      .put(`${tasks}/${id}`)
      .send({ message: 'y', expires_at: fromNow(-HOUR_MS) })
      .expect(422);
    await service.http.put(`${tasks}/${id}`).send({ message: 'y', retry_of: id }).expect(422);
    await service.http.put(`${tasks}/${id}`).send({}).expect(400);
    await service.http.put(`${tasks}/missing`).send({}).expect(404, { detail: 'Task not found' });
    await service.http.put('/agents/missing/tasks/missing').send({}).expect(404, { detail: 'Agent not found' });
  });
});

describe('DELETE of a task', () => {
  test('removes it from everything', async () => {
    const { id } = await createTask({ tags: ['a'] });
    await service.http.delete(`${tasks}/${id}`).expect(204, '');
    await service.http.get(`${tasks}/${id}`).expect(404);
    await service.http.delete(`${tasks}/${id}`).expect(404, { detail: 'Task not found' });
    expect((await service.http.get(tasks)).headers['x-total-count']).toBe('0');
    expect((await service.http.get(`/tasks?agent_id=${agentId}&tag=a`)).headers['x-total-count']).toBe('0');
    await service.http.post(`/agents/${agentId}/leases`).send({ worker_id: 'w' }).expect(204);
    expect(await service.redis.zscore(service.keys.timers, `${agentId} ${id}`)).toBeNull();
    expect(await service.redis.hexists(service.keys.taskIndexEntries, id)).toBe(0);
  });

  test('revokes the lease of a running one', async () => {
    const { id } = await createTask();
    const leased = await lease();
    await service.http.delete(`${tasks}/${id}`).expect(204);
    await heartbeat(leased).expect(404, { detail: 'Lease not found' });
    await report(leased, { status: 'completed' }).expect(404);
    expect(await agentStatus()).toBe('idle');
  });
});

describe('cancellation', () => {
  const cancel = (id: string, body?: object) => service.http.put(`${tasks}/${id}/cancellation`).send(body);

  test('of a pending task is at once, and safe to repeat', async () => {
    const { id } = await createTask();
    const { body } = await cancel(id, { reason: 'Not needed' }).expect(200);
    expect(body).toMatchObject({ id, status: 'cancelled', error: { code: 'cancelled', message: 'Not needed' } });
    expect((await cancel(id).expect(200)).body).toEqual(body);
    await service.http.post(`/agents/${agentId}/leases`).send({ worker_id: 'w' }).expect(204);
  });

  test('of a running task is told to its worker, who confirms it', async () => {
    const { id } = await createTask();
    const leased = await lease();
    const asked = await cancel(id, { reason: 'Not needed' }).expect(202);
    expect(asked.body).toMatchObject({ status: 'running', cancel_requested_at: expect.any(String) });
    expect((await cancel(id).expect(202)).body).toEqual(asked.body);
    expect((await heartbeat(leased).expect(200)).body.cancel_requested).toBe(true);
    const { body } = await report(leased, { status: 'cancelled' }).expect(200);
    expect(body).toMatchObject({ status: 'cancelled', error: { code: 'cancelled', message: 'Not needed' } });
    expect(await agentStatus()).toBe('idle');
  });

  test('does not undo what has completed meanwhile', async () => {
    const { id } = await createTask();
    const leased = await lease();
    await cancel(id).expect(202);
    expect((await report(leased, { status: 'completed', result: 1 }).expect(200)).body.status).toBe('completed');
    const { body } = await cancel(id).expect(409);
    expect(body.error).toBe('task_not_cancellable');
  });

  test('takes the place of a retry, and of a release', async () => {
    const { id } = await createTask();
    const leased = await lease();
    await cancel(id).expect(202);
    expect((await report(leased, { status: 'failed' }).expect(200)).body.status).toBe('cancelled');
    const { id: other } = await createTask();
    const released = await lease();
    await cancel(other).expect(202);
    await service.http.delete(`/leases/${released.id}`).set('x-lease-token', released.token).expect(204);
    expect((await service.http.get(`${tasks}/${other}`)).body.status).toBe('cancelled');
  });

  test('without an answer happens when the lease runs out', async () => {
    const { id } = await createTask();
    await lease({ lease_seconds: 5 });
    await cancel(id).expect(202);
    const { body } = await service.http.get(`${tasks}/${id}?wait=20`).expect(200);
    expect(body).toMatchObject({ status: 'cancelled', attempt: 1 });
  });

  test.each([[{ reason: '' }], [{ why: 'x' }], [[]]])('with %j is refused', async (body) => {
    const { id } = await createTask();
    await cancel(id, body).expect(400);
  });
});

test('a read can wait for the end of a task', async () => {
  const { id } = await createTask();
  const leased = await lease();
  const waiting = service.http.get(`${tasks}/${id}?wait=20`).then((response) => response);
  await report(leased, { status: 'completed', result: 'done' }).expect(200);
  expect((await waiting).body).toMatchObject({ status: 'completed', result: 'done' });
  const { id: other } = await createTask();
  expect((await service.http.get(`${tasks}/${other}?wait=1`).expect(200)).body.status).toBe('pending');
  const deleted = service.http.get(`${tasks}/${other}?wait=20`).then((response) => response);
  await service.http.delete(`${tasks}/${other}`).expect(204);
  expect((await deleted).status).toBe(404);
  await service.http.get(`${tasks}/${id}?wait=31`).expect(400);
});

test('a pending task that nobody begins expires', async () => {
  const { id } = await createTask({ expires_at: fromNow(3_000) });
  const { body } = await service.http.get(`${tasks}/${id}?wait=20`).expect(200);
  expect(body).toMatchObject({ status: 'failed', attempt: 0, error: { code: 'expired', retryable: false } });
  await service.http.post(`/agents/${agentId}/leases`).send({ worker_id: 'w' }).expect(204);
  expect(await agentStatus()).toBe('idle');
});

describe('a batch', () => {
  test('answers for each task, in order', async () => {
    const batch = [
      { message: 'a' },
      { message: '' },
      { message: 'b', expires_at: fromNow(-HOUR_MS) },
      7,
      { message: 'c' },
    ];
    const { body } = await service.http.post(`/agents/${agentId}/task-batches`).send({ tasks: batch }).expect(201);
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([201, 400, 422, 400, 201]);
    expect(body.results[1].error).toMatchObject({
      error: 'validation_error',
      details: { fields: [{ path: 'message' }] },
    });
    const listed = (await service.http.get(tasks)).body;
    expect(listed).toEqual([body.results[0].task, body.results[4].task]);
  });

  test('of none or more than 500 is refused', async () => {
    const post = (count: number) =>
      service.http
        .post(`/agents/${agentId}/task-batches`)
        .send({ tasks: Array.from({ length: count }, () => ({ message: 'x' })) });
    await post(0).expect(400);
    await post(501).expect(400);
    const { body } = await post(500).expect(201);
    const ids = body.results.map(({ task }: { task: { id: string } }) => task.id);
    expect(ids.toSorted()).toEqual(ids);
    expect((await service.http.get(`${tasks}?limit=1`)).headers['x-total-count']).toBe('500');
    await service.http.post('/agents/missing/task-batches').send({ tasks: [] }).expect(404);
  });
});

test('the fleet is searched by status, type, agent and tag together, with totals', async () => {
  const other = (await service.http.post('/agents').send({ name: 'x', type: 'gpt' })).body.id;
  const tag = `tag of ${agentId}`;
  const mine = await createTask({ tags: [tag, 'ü :%'] });
  const theirs = (await service.http.post(`/agents/${other}/tasks`).send({ message: 'x', tags: [tag, tag] })).body;
  const find = async (query: Record<string, string>) => {
    const { body, headers } = await service.http.get(`/tasks?${new URLSearchParams({ tag, ...query })}`).expect(200);
    expect(headers['x-total-count']).toBe(String(body.length));
    return body.map(({ id }: { id: string }) => id);
  };
  expect(await find({})).toEqual([mine.id, theirs.id]);
  expect(await find({ type: 'gpt' })).toEqual([theirs.id]);
  expect(await find({ agent_id: agentId })).toEqual([mine.id]);
  expect(await find({ agent_id: agentId, type: 'gpt' })).toEqual([]);
  expect(await find({ agent_id: agentId, tag: 'ü :%' })).toEqual([mine.id]);
  expect(await find({ status: 'running' })).toEqual([]);
  await service.http.post(`/agents/${other}/leases`).send({ worker_id: 'w' }).expect(201);
  expect(await find({ status: 'running', type: 'gpt' })).toEqual([theirs.id]);
  expect(await find({ status: 'pending' })).toEqual([mine.id]);
  await service.http.put(`/agents/${other}`).send({ name: 'x', type: 'gemini' }).expect(200);
  expect(await find({ status: 'running', type: 'gpt' })).toEqual([]);
  expect(await find({ type: 'gemini' })).toEqual([theirs.id]);
  const page = await service.http.get(`/tasks?${new URLSearchParams({ tag, limit: '1' })}`);
  expect(page.headers['x-total-count']).toBe('2');
  expect(page.headers.link).toContain('rel="next"');
  await service.http.delete(`/agents/${other}`).expect(204);
  expect(await find({})).toEqual([mine.id]);
  expect((await service.http.get('/tasks?status=nonsense')).body).toEqual([]);
});

test('a tag may be any text', async () => {
  const tags = ['-', '=', ' ', 'a:b', '%3D', ':status:pending'];
  const { id } = await createTask({ tags: ['before'] });
  const { body } = await service.http.put(`${tasks}/${id}`).send({ message: 'x', tags }).expect(200);
  for (const tag of tags) {
    const query = new URLSearchParams({ agent_id: agentId, tag });
    expect((await service.http.get(`/tasks?${query}`)).body).toEqual([body]);
  }
  await service.http
    .put(`${tasks}/${id}`)
    .send({ message: 'x', tags: ['-'] })
    .expect(200);
  expect((await service.http.get(`/tasks?agent_id=${agentId}&tag=a:b`)).body).toEqual([]);
  expect((await service.http.get(`/tasks?agent_id=${agentId}&tag=-`)).body).toHaveLength(1);
});

test('an agent is deleted while tasks come to it and are leased, and nothing of it is left', async () => {
  const answers: number[] = [];
  const keepAsking = async (ask: () => Promise<{ status: number }>) => {
    for (let tries = 0; tries < 40; tries++) answers.push((await ask()).status);
  };
  const asking = [
    ...Array.from({ length: 4 }, () => keepAsking(() => service.http.post(tasks).send({ message: 'x' }))),
    ...Array.from({ length: 4 }, () =>
      keepAsking(() => service.http.post(`/agents/${agentId}/leases`).send({ worker_id: 'w', max_tasks: 2 })),
    ),
  ];
  await createTask();
  await service.http.delete(`/agents/${agentId}`).expect(204);
  await Promise.all(asking);
  expect(answers.filter((status) => ![201, 204, 404].includes(status))).toEqual([]);
  expect(await service.redis.keys(`${service.prefix}:{${agentId}}:*`)).toEqual([]);
});

test('retry_of takes an ended task of the same agent', async () => {
  const { id } = await createTask();
  await service.http.post(tasks).send({ message: 'x', retry_of: id }).expect(422);
  await service.http.put(`${tasks}/${id}/cancellation`).expect(200);
  expect((await createTask({ retry_of: id })).retry_of).toBe(id);
});

test('of many changes at once each is made, and the agent and its totals agree', async () => {
  const batch = Array.from({ length: 40 }, () => ({ message: 'x', max_attempts: 1 }));
  await service.http.post(`/agents/${agentId}/task-batches`).send({ tasks: batch }).expect(201);
  const worker = async () => {
    for (;;) {
      const { status, body } = await service.http
        .post(`/agents/${agentId}/leases`)
        .send({ worker_id: 'w', max_tasks: 2 });
      if (status === 204) return;
      for (const leased of body.leases) {
        await Promise.all([
          report(leased, { status: 'completed' }),
          report(leased, { status: 'failed' }),
          service.http.put(`${tasks}/${leased.task.id}/cancellation`),
        ]);
      }
    }
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  const totals = await Promise.all(
    ['pending', 'running', 'completed', 'failed', 'cancelled'].map(async (status) =>
      Number((await service.http.get(`${tasks}?limit=1&status=${status}`)).headers['x-total-count']),
    ),
  );
  expect(totals.slice(0, 2)).toEqual([0, 0]);
  expect(totals.reduce((sum, count) => sum + count)).toBe(40);
  const events = (await service.http.get(`/agents/${agentId}/events?limit=1000`)).body as { type: string }[];
  const ends = events.filter(({ type }) => /^task\.(completed|failed|cancelled)$/.test(type));
  expect(ends).toHaveLength(40);
});
