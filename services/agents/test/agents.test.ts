import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type StartedService, startService } from './start-service.ts';

let service: StartedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const UNKNOWN = '01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12';

async function createAgent(name = 'Writer', type = 'claude') {
  const response = await service.http.post('/agents').send({ name, type }).expect(201);
  return response.body as { id: string; name: string; type: string; status: string; created_at: string };
}

describe('POST /agents', () => {
  test('answers the agent with its place and its tag', async () => {
    const response = await service.http.post('/agents').send({ name: 'Writer', type: 'claude' }).expect(201);
    const { id, created_at, ...rest } = response.body;
    expect(rest).toEqual({ name: 'Writer', type: 'claude', status: 'idle' });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Math.abs(Date.now() - Date.parse(created_at))).toBeLessThan(30_000);
    expect(response.headers.location).toBe(`/agents/${id}`);
    expect(response.headers.etag).toMatch(/^"[^"]+"$/);
    expect(response.headers['x-request-id']).toBeTruthy();
  });

  test.each([
    ['no name', { type: 'claude' }, 'name', 'required'],
    ['an empty name', { name: '', type: 'claude' }, 'name', 'invalid_value'],
    ['a blank name', { name: ' \t　', type: 'claude' }, 'name', 'invalid_value'],
    ['101 characters', { name: 'x'.repeat(101), type: 'claude' }, 'name', 'invalid_value'],
    ['101 emoji', { name: '🤖'.repeat(101), type: 'claude' }, 'name', 'invalid_value'],
    ['a number for a name', { name: 5, type: 'claude' }, 'name', 'invalid_type'],
    ['an unknown type', { name: 'x', type: 'Claude' }, 'type', 'invalid_value'],
    ['a field of the service', { name: 'x', type: 'claude', status: 'idle' }, 'status', 'unknown_field'],
    ['another prototype', JSON.parse('{"name":"x","type":"claude","__proto__":{}}'), '__proto__', 'unknown_field'],
  ])('refuses %s', async (_what, body, path, code) => {
    const response = await service.http
      .post('/agents')
      .set('content-type', 'application/json')
      .send(JSON.stringify(body));
    expect(response.status).toBe(400);
    expect(response.body.error).toBe('validation_error');
    expect(response.body.details.fields).toEqual([expect.objectContaining({ path, code })]);
  });

  test.each(['🤖'.repeat(100), ' padded ', '\ud800 lone', '"status":"active","created_at":"x"}'])(
    'keeps the name %j as sent',
    async (name) => {
      const { id } = await createAgent(name);
      const response = await service.http.get(`/agents/${id}`).expect(200);
      expect(response.body.name).toBe(name);
    },
  );

  test.each([
    ['broken JSON', '{"name"', 'application/json', 400],
    ['a JSON text of another kind', '[]', 'application/json', 400],
    ['what is not UTF-8', Buffer.from('7b226e616d65223a22ff227d', 'hex'), 'application/json', 400],
    ['deep nesting', '['.repeat(100_000) + ']'.repeat(100_000), 'application/json', 400],
    ['a form', 'name=x', 'application/x-www-form-urlencoded', 415],
    ['over 1 MiB', JSON.stringify({ name: 'x'.repeat(1_048_577) }), 'application/json', 413],
  ])('refuses %s', async (_what, body, type, status) => {
    await service.http
      .post('/agents')
      .set('content-type', type)
      .send(body as string)
      .expect(status);
  });
});

describe('GET /agents/{agent_id}', () => {
  test('answers the JSON that Redis holds, and 304 to whoever has it', async () => {
    const { id } = await createAgent();
    const response = await service.http.get(`/agents/${id}`).expect(200);
    expect(response.text).toBe(await service.redis.get(service.keys.agent(id)));
    const conditional = service.http.get(`/agents/${id}`).set('if-none-match', `"other", W/${response.headers.etag}`);
    const unchanged = await conditional.expect(304);
    expect(unchanged.text).toBe('');
    expect(unchanged.headers.etag).toBe(response.headers.etag);
  });

  test.each([UNKNOWN, 'x', '%00', '..%20', 'a'.repeat(2_000), '{}', '%F0%9F%A4%96'])(
    'answers 404 for the id %s',
    async (id) => {
      const response = await service.http.get(`/agents/${id}`).expect(404);
      expect(response.body).toEqual({ detail: 'Agent not found' });
    },
  );
});

describe('PUT /agents/{agent_id}', () => {
  test('replaces name and type, and keeps the rest', async () => {
    const before = await createAgent('",\\"status":"active"');
    const response = await service.http.put(`/agents/${before.id}`).send({ name: 'é "x" \\', type: 'gpt' }).expect(200);
    expect(response.body).toEqual({ ...before, name: 'é "x" \\', type: 'gpt' });
    const read = await service.http.get(`/agents/${before.id}`).expect(200);
    expect(read.body).toEqual(response.body);
    expect(read.headers.etag).toBe(response.headers.etag);
  });

  test('changes the tag with the content and only with it', async () => {
    const { id } = await createAgent('A');
    const first = await service.http.get(`/agents/${id}`);
    const same = await service.http.put(`/agents/${id}`).send({ name: 'A', type: 'claude' }).expect(200);
    const other = await service.http.put(`/agents/${id}`).send({ name: 'B', type: 'claude' }).expect(200);
    expect(same.headers.etag).toBe(first.headers.etag);
    expect(other.headers.etag).not.toBe(first.headers.etag);
  });

  test('honours If-Match', async () => {
    const { id } = await createAgent('A');
    const { etag } = (await service.http.get(`/agents/${id}`)).headers;
    const replace = (tag: string, name: string) =>
      service.http.put(`/agents/${id}`).set('if-match', tag).send({ name, type: 'claude' });
    await replace(`"other", ${etag}`, 'B').expect(200);
    const stale = await replace(etag as string, 'C').expect(412);
    expect(stale.body.error).toBe('precondition_failed');
    await replace(`W/${(await service.http.get(`/agents/${id}`)).headers.etag}`, 'C').expect(412);
    await replace('nonsense', 'C').expect(412);
    await replace('*', 'D').expect(200);
  });

  test('lets one of many writers with the same tag win', async () => {
    const { id } = await createAgent('A');
    const { etag } = (await service.http.get(`/agents/${id}`)).headers;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        service.http
          .put(`/agents/${id}`)
          .set('if-match', etag as string)
          .send({ name: `W${at}`, type: 'claude' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412]);
  });

  test('never creates, and says 404 before it looks at the body', async () => {
    const body = { name: '', type: 1 };
    expect((await service.http.put(`/agents/${UNKNOWN}`).send(body).expect(404)).body).toEqual({
      detail: 'Agent not found',
    });
    await service.http.put('/agents/x').set('content-type', 'text/plain').send('{').expect(404);
    await service.http.put(`/agents/${UNKNOWN}`).send({ name: 'x', type: 'claude' }).expect(404);
  });
});

describe('DELETE /agents/{agent_id}', () => {
  test('deletes the agent, its tasks and every trace in the indexes', async () => {
    const { id } = await createAgent();
    await service.http.post(`/agents/${id}/tasks`).send({ message: 'x' }).expect(201);
    const response = await service.http.delete(`/agents/${id}`).expect(204);
    expect(response.text).toBe('');
    expect((await service.http.delete(`/agents/${id}`).expect(404)).body).toEqual({ detail: 'Agent not found' });
    await service.http.get(`/agents/${id}/tasks`).expect(404);
    expect(await service.redis.keys(`${service.prefix}:{${id}}:*`)).toEqual([]);
    expect(await service.redis.zscore(service.keys.agents(), id)).toBeNull();
  });
});

describe('methods', () => {
  test('an unknown one is 405, OPTIONS 204, both with Allow', async () => {
    const refused = await service.http.patch('/agents').expect(405);
    expect(refused.body.error).toBe('method_not_allowed');
    expect(refused.headers.allow).toBe('GET, POST, HEAD, OPTIONS');
    expect((await service.http.options('/agents/x').expect(204)).headers.allow).toBe('GET, PUT, DELETE, HEAD, OPTIONS');
  });

  test('HEAD answers like GET without a body', async () => {
    const { id } = await createAgent();
    const get = await service.http.get(`/agents/${id}`);
    const head = await service.http.head(`/agents/${id}`).expect(200);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.headers.etag).toBe(get.headers.etag);
  });

  test('unknown paths are 404 not_found', async () => {
    for (const path of ['/', '/agents/', '/Agents', '/agents/x/y', '/agents/x/tasks/y/z']) {
      expect((await service.http.get(path).expect(404)).body.error).toBe('not_found');
    }
  });
});
