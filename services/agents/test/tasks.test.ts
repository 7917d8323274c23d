import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';
import { type StartedService, startService } from './start-service.ts';

let service: StartedService;
let agentId: string;
let tasks: string;
beforeAll(async () => {
  service = await startService();
  agentId = (await service.http.post('/agents').send({ name: 'x', type: 'claude' })).body.id;
  tasks = `/agents/${agentId}/tasks`;
});
afterAll(() => service.close());

const UNKNOWN = '01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12';
const HOUR_MS = 3_600_000;
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('POST /agents/{agent_id}/tasks', () => {
  test('fills in every default and leaves what is unset null', async () => {
    const response = await service.http.post(tasks).send({ message: 'Do it' }).expect(201);
    const { id, created_at, updated_at, expires_at, ...rest } = response.body;
    expect(rest).toEqual({
      agent_id: agentId,
      message: 'Do it',
      input: null,
      status: 'pending',
      priority: 5,
      scheduled_at: null,
      timeout_seconds: 3600,
      max_attempts: 3,
      retry_policy: { strategy: 'exponential', delay_seconds: 5, max_delay_seconds: 300, jitter: 0.5 },
      attempt: 0,
      result: null,
      error: null,
      progress: null,
      tags: null,
      metadata: null,
      retry_of: null,
      worker_id: null,
      cancel_requested_at: null,
      next_attempt_at: null,
      started_at: null,
      completed_at: null,
    });
    expect(updated_at).toBe(created_at);
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(24 * HOUR_MS);
    expect(response.headers.location).toBe(`${tasks}/${id}`);
    const read = await service.http.get(`${tasks}/${id}`).expect(200);
    expect(read.body).toEqual(response.body);
    expect(read.headers.etag).toBe(response.headers.etag);
    await service.http
      .get(`${tasks}/${id}`)
      .set('if-none-match', read.headers.etag as string)
      .expect(304);
  });

  test('keeps everything that is given', async () => {
    const given = {
      message: '🤖'.repeat(32_768),
      input: [1, { __proto__x: null, deep: [[['x']]] }, 'text', 1e3],
      priority: 1,
      timeout_seconds: 86_400,
      max_attempts: 10,
      retry_policy: { strategy: 'fixed', delay_seconds: 0, max_delay_seconds: 1, jitter: 0 },
      tags: ['a', 'b'.repeat(128)],
      metadata: { team: 'docs', nested: { ok: true } },
    };
    const response = await service.http.post(tasks).send(given).expect(201);
    expect(response.body).toMatchObject(given);
  });

  test('takes times with any offset and answers them in UTC', async () => {
    const scheduled = new Date(Math.floor((Date.now() + HOUR_MS) / 1_000) * 1_000);
    const local = new Date(scheduled.getTime() + 2 * HOUR_MS).toISOString().replace('.000Z', '+02:00');
    const response = await service.http.post(tasks).send({ message: 'x', scheduled_at: local }).expect(201);
    expect(response.body.scheduled_at).toBe(scheduled.toISOString());
    expect(Date.parse(response.body.expires_at)).toBe(scheduled.getTime() + 24 * HOUR_MS);
  });

  test.each([
    [{}, 'message'],
    [{ message: '' }, 'message'],
    [{ message: 'x'.repeat(32_769) }, 'message'],
    [{ message: 'x', priority: 0 }, 'priority'],
    [{ message: 'x', priority: 1.5 }, 'priority'],
    [{ message: 'x', priority: '5' }, 'priority'],
    [{ message: 'x', timeout_seconds: 86_401 }, 'timeout_seconds'],
    [{ message: 'x', max_attempts: 11 }, 'max_attempts'],
    [{ message: 'x', retry_policy: { jitter: 2 } }, 'retry_policy.jitter'],
    [{ message: 'x', retry_policy: { other: 2 } }, 'retry_policy.other'],
    [{ message: 'x', scheduled_at: 'tomorrow' }, 'scheduled_at'],
    [{ message: 'x', scheduled_at: '2026-02-30T00:00:00Z' }, 'scheduled_at'],
    [{ message: 'x', expires_at: '2030-01-01T00:00:00' }, 'expires_at'],
    [{ message: 'x', tags: Array(11).fill('t') }, 'tags'],
    [{ message: 'x', tags: ['t'.repeat(129)] }, 'tags.0'],
    [{ message: 'x', metadata: [] }, 'metadata'],
    [{ message: 'x', metadata: { a: 'x'.repeat(16_384) } }, 'metadata'],
    [{ message: 'x', input: 'x'.repeat(262_143) }, 'input'],
    [{ message: 'x', status: 'running' }, 'status'],
  ])('refuses what is out of bounds: %#', async (body, path) => {
    const response = await service.http.post(tasks).send(body).expect(400);
    expect(response.body.details.fields.map((field: { path: string }) => field.path)).toEqual([path]);
  });

  test.each([
    [() => ({ scheduled_at: fromNow(-HOUR_MS) }), 'scheduled_at'],
    [() => ({ scheduled_at: fromNow(31 * 24 * HOUR_MS) }), 'scheduled_at'],
    [() => ({ scheduled_at: fromNow(2 * HOUR_MS), expires_at: fromNow(HOUR_MS) }), 'scheduled_at'],
    [() => ({ expires_at: fromNow(-1_000) }), 'expires_at'],
    [() => ({ retry_of: UNKNOWN }), 'retry_of'],
    [() => ({ retry_of: 'x' }), 'retry_of'],
  ])('answers 422 to what is well formed but impossible: %#', async (fields, path) => {
    const response = await service.http
      .post(tasks)
      .send({ message: 'x', ...fields() })
      .expect(422);
    expect(response.body.error).toBe('semantic_error');
    expect(response.body.details.fields[0].path).toBe(path);
  });

  test('answers 422 to a retry of a task that has not ended', async () => {
    const { id } = (await service.http.post(tasks).send({ message: 'x' }).expect(201)).body;
    const response = await service.http.post(tasks).send({ message: 'x', retry_of: id }).expect(422);
    expect(response.body.details.fields[0].code).toBe('not_ended');
  });

  test('says 404 of the agent before anything of the body', async () => {
    for (const id of [UNKNOWN, 'x']) {
      for (const body of [{ message: 'x' }, { message: 1 }, { message: 'x', expires_at: fromNow(-1) }]) {
        const response = await service.http.post(`/agents/${id}/tasks`).send(body).expect(404);
        expect(response.body).toEqual({ detail: 'Agent not found' });
      }
    }
  });
});

describe('GET /agents/{agent_id}/tasks', () => {
  test('lists the tasks of one agent, oldest first, by status, in pages', async () => {
    const { id } = (await service.http.post('/agents').send({ name: 'y', type: 'gpt' })).body;
    for (const message of ['a', 'b', 'c']) await service.http.post(`/agents/${id}/tasks`).send({ message }).expect(201);
    const response = await service.http.get(`/agents/${id}/tasks?skip=1&limit=1`).expect(200);
    expect((response.body as { message: string }[]).map(({ message }) => message)).toEqual(['b']);
    expect(response.headers['x-total-count']).toBe('3');
    expect(response.headers.link).toContain(`</agents/${id}/tasks?skip=2&limit=1>; rel="next"`);
    expect((await service.http.get(`/agents/${id}/tasks?status=pending`)).body).toHaveLength(3);
    expect((await service.http.get(`/agents/${id}/tasks?status=running`)).body).toEqual([]);
    await service.http.get(`/agents/${id}/tasks?limit=0`).expect(400);
    expect((await service.http.get(`/agents/${UNKNOWN}/tasks`).expect(404)).body).toEqual({
      detail: 'Agent not found',
    });
  });

  test('ends a page of large tasks early and links to what follows', async () => {
    const { id } = (await service.http.post('/agents').send({ name: 'z', type: 'gpt' })).body;
    const input = 'x'.repeat(250 * 1024);
    for (let at = 0; at < 40; at++)
      await service.http
        .post(`/agents/${id}/tasks`)
        .send({ message: `${at}`, input })
        .expect(201);
    const seen: string[] = [];
    let path: string | undefined = `/agents/${id}/tasks?limit=1000`;
    let pages = 0;
    while (path) {
      const response: Response = await service.http.get(path).expect(200);
      seen.push(...(response.body as { message: string }[]).map(({ message }) => message));
      path = /<([^>]+)>; rel="next"/.exec(response.headers.link ?? '')?.[1];
      pages += 1;
    }
    expect(seen).toEqual(Array.from({ length: 40 }, (_, at) => `${at}`));
    expect(pages).toBe(2);
  });
});

describe('GET /agents/{agent_id}/tasks/{task_id}', () => {
  test('a task is gone as soon as its agent is, not when it is removed', async () => {
    const { id } = (await service.http.post('/agents').send({ name: 'x', type: 'gpt' })).body;
    const task = (await service.http.post(`/agents/${id}/tasks`).send({ message: 'x' })).body;
    await service.redis.del(service.keys.agent(id));
    const response = await service.http.get(`/agents/${id}/tasks/${task.id}`).expect(404);
    expect(response.body).toEqual({ detail: 'Agent not found' });
  });

  test('answers 404 with what is missing', async () => {
    expect((await service.http.get(`${tasks}/${UNKNOWN}`).expect(404)).body).toEqual({ detail: 'Task not found' });
    expect((await service.http.get(`/agents/${UNKNOWN}/tasks/x`).expect(404)).body).toEqual({
      detail: 'Agent not found',
    });
    const other = (await service.http.post('/agents').send({ name: 'o', type: 'gpt' })).body.id;
    const { id } = (await service.http.post(tasks).send({ message: 'x' })).body;
    expect((await service.http.get(`/agents/${other}/tasks/${id}`).expect(404)).body).toEqual({
      detail: 'Task not found',
    });
  });
});
