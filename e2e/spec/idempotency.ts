import { describe, expect, test } from '@jest/globals';
import type { Agent, Api, Task } from '../harness/api.ts';
import type { Caller, HttpResponse } from '../harness/http-client.ts';
import { expectDetail, expectError, expectInvalid, expectResponse } from './expectations.ts';

/** docs/contract.md "Idempotency": `Idempotency-Key`. */
export function specifyIdempotency(api: Api): void {
  const keyed = (path: string, key: string, body: unknown, as: Caller = 'key'): Promise<HttpResponse> =>
    api.call('POST', path, { as, body, headers: { 'idempotency-key': key } });
  const tasksOf = async ({ id }: Agent) => (await api.get(`/agents/${id}/tasks`)).json as Task[];
  const freshKey = () => `e2e-${crypto.randomUUID()}`;

  describe('a repeated request gets the first response and creates nothing:', () => {
    const targets = {
      '/agents': () => ({ name: 'Once', type: api.types[0] }),
      '/agents/{agent_id}/tasks': () => ({ message: 'Once' }),
      '/agents/{agent_id}/task-batches': () => ({ tasks: [{ message: 'Once' }, { message: '' }] }),
    };
    test.each(Object.entries(targets))('POST %s', async (path, toBody) => {
      const agent = await api.createAgent();
      const key = freshKey();
      const send = () => keyed(path.replace('{agent_id}', agent.id), key, toBody());
      const first = await send();
      expect(first.status).toBe(201);
      expect(first.headers['idempotency-replayed']).toBeUndefined();
      const count = async () => (await api.get(`/agents?type=${api.types[0]}&limit=1`)).headers['x-total-count'];
      const [agents, tasks] = [await count(), await tasksOf(agent)];
      for (let time = 0; time < 2; time++) {
        const again = await send();
        expectResponse(again, 201, first.json);
        expect(again.headers['idempotency-replayed']).toBe('true');
        expect([again.headers.location, again.headers.etag]).toEqual([first.headers.location, first.headers.etag]);
      }
      expect([await count(), await tasksOf(agent)]).toEqual([agents, tasks]);
      if (path === '/agents') await api.call('DELETE', String(first.headers.location));
    });
  });

  test('bodies with equal JSON values count as the same', async () => {
    const agent = await api.createAgent();
    const key = freshKey();
    const path = `/agents/${agent.id}/tasks`;
    const first = await keyed(path, key, '{"message":"x","input":{"a":1,"b":[1,2]}}');
    expectResponse(
      await keyed(path, key, '{ "input": {"b":[1,2.0], "a":1e0},\n"message":"\\u0078" }'),
      201,
      first.json,
    );
    for (const other of ['{"message":"x","input":{"a":1,"b":[2,1]}}', '{"message":"x"}', '{"message":"y"}']) {
      const response = await keyed(path, key, other);
      expectError(response, 422, 'semantic_error');
      expect(response.json).toMatchObject({ details: { fields: [{ path: 'Idempotency-Key' }] } });
    }
    expect(await tasksOf(agent)).toEqual([first.json]);
  });

  test('an idempotency key belongs to one principal and one path', async () => {
    const [agent, other] = await Promise.all([api.createAgent(), api.createAgent()]);
    const key = freshKey();
    const body = { message: 'x' };
    const first = await keyed(`/agents/${agent.id}/tasks`, key, body);
    const byToken = await keyed(`/agents/${agent.id}/tasks`, key, body, 'token');
    const elsewhere = await keyed(`/agents/${other.id}/tasks`, key, body);
    for (const response of [byToken, elsewhere]) {
      expect([response.status, response.headers['idempotency-replayed']]).toEqual([201, undefined]);
    }
    expect(await tasksOf(agent)).toEqual([first.json, byToken.json]);
    expect(await tasksOf(other)).toEqual([elsewhere.json]);
    // Another path may use the same key with another body.
    expect((await keyed(`/agents/${agent.id}/task-batches`, key, { tasks: [body] })).status).toBe(201);
  });

  test('a refused request does not use up its key', async () => {
    const agent = await api.createAgent();
    const path = `/agents/${agent.id}/tasks`;
    const key = freshKey();
    const past = new Date(Date.now() - 3_600_000).toISOString();
    expectInvalid(await keyed(path, key, { message: '' }), 'message');
    expectError(await keyed(path, key, { message: 'x', expires_at: past }), 422, 'semantic_error');
    expectError(await keyed(path, key, { message: 'x', expires_at: past }), 422, 'semantic_error');
    expect((await keyed(path, key, { message: 'x' })).status).toBe(201);
    expectDetail(await keyed('/agents/missing/tasks', key, { message: 'x' }), 404, 'Agent not found');
  });

  test('a repeated request gets the first response after the record has changed or is deleted', async () => {
    const agent = await api.createAgent();
    const path = `/agents/${agent.id}/tasks`;
    const key = freshKey();
    const first = await keyed(path, key, { message: 'x' });
    const { id } = first.json as Task;
    await api.call('PUT', `${path}/${id}`, { body: { message: 'y' } });
    expectResponse(await keyed(path, key, { message: 'x' }), 201, first.json);
    await api.call('DELETE', `${path}/${id}`);
    expectResponse(await keyed(path, key, { message: 'x' }), 201, first.json);
    expect(await tasksOf(agent)).toEqual([]);
    const batch = (text: string) => keyed(`/agents/${agent.id}/task-batches`, text, { tasks: [{ message: 'x' }] });
    const ofBatch = await batch(key);
    await api.call('DELETE', `/agents/${agent.id}`);
    expectResponse(await keyed(path, key, { message: 'x' }), 201, first.json);
    expectResponse(await batch(key), 201, ofBatch.json);
    expectDetail(await batch(freshKey()), 404, 'Agent not found');
  });

  test('one of many concurrent requests with the same key creates; the others are 409 or get its response', async () => {
    const agent = await api.createAgent();
    const key = freshKey();
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => keyed(`/agents/${agent.id}/tasks`, key, { message: 'x' })),
    );
    const tasks = await tasksOf(agent);
    expect(tasks).toHaveLength(1);
    for (const response of responses) {
      if (response.status === 201) {
        expect(response.json).toEqual(tasks[0]);
      } else {
        expectError(response, 409, 'idempotent_request_in_progress');
        expect(response.headers['retry-after']).toMatch(/^\d+$/);
      }
    }
    expectResponse(await keyed(`/agents/${agent.id}/tasks`, key, { message: 'x' }), 201, tasks[0]);
  });

  test('a key has 1 to 255 visible characters', async () => {
    const agent = await api.createAgent();
    const path = `/agents/${agent.id}/tasks`;
    for (const key of ['', 'a b', '\tx y', 'x'.repeat(256), 'ä']) {
      expectInvalid(await keyed(path, key, { message: 'x' }), 'Idempotency-Key');
    }
    expect(await tasksOf(agent)).toEqual([]);
    for (const key of [freshKey().padEnd(255, '!'), `~"\\{}${freshKey()}`]) {
      expect((await keyed(path, key, { message: 'x' })).status).toBe(201);
    }
  });
}
