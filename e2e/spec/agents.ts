import { describe, expect, test } from '@jest/globals';
import type { Agent, Api } from '../harness/api.ts';
import {
  expectDetail,
  expectInvalid,
  expectJson,
  expectNoBody,
  expectResponse,
  STRONG_ETAG,
  TIMESTAMP,
  UUID_V7,
} from './expectations.ts';

const NOT_FOUND = 'Agent not found';

/** Specification "Agent API"; docs/contract.md "Agents". */
export function specifyAgents(api: Api): void {
  test('POST /agents is 201 with exactly the fields of an agent, Location and a strong ETag', async () => {
    const before = Date.now();
    const response = await api.call('POST', '/agents', { body: { name: 'Ada', type: api.types[1] } });
    expect(response.status).toBe(201);
    expectJson(response);
    const agent = response.json as Agent;
    expect(agent).toEqual({
      id: expect.stringMatching(UUID_V7),
      name: 'Ada',
      type: api.types[1],
      status: 'idle',
      created_at: expect.stringMatching(TIMESTAMP),
    });
    expect(Math.abs(Date.parse(agent.created_at) - before)).toBeLessThan(60_000);
    expect(response.headers.location).toBe(`/agents/${agent.id}`);
    expect(response.headers.etag).toMatch(STRONG_ETAG);
    const read = await api.get(`/agents/${agent.id}`);
    expectResponse(read, 200, agent);
    expect(read.headers.etag).toBe(response.headers.etag);
    await api.call('DELETE', `/agents/${agent.id}`);
  });

  test('each allowed type is accepted, and two agents may have the same name', async () => {
    for (const type of api.types) expect((await api.createAgent({ name: 'Same', type })).name).toBe('Same');
  });

  test('PUT replaces name and type and nothing else, and is idempotent', async () => {
    const agent = await api.createAgent({ name: 'Before' });
    const body = { name: 'After', type: api.types[2] };
    const first = await api.call('PUT', `/agents/${agent.id}`, { body });
    expectResponse(first, 200, { ...agent, ...body });
    const second = await api.call('PUT', `/agents/${agent.id}`, { body });
    expectResponse(second, 200, { ...agent, ...body });
    expect(second.headers.etag).toBe(first.headers.etag);
    expectResponse(await api.get(`/agents/${agent.id}`), 200, { ...agent, ...body });
  });

  test('an agent keeps the owner that its creation or a PUT names, beside its record', async () => {
    const [owner, body] = [`git.example/${crypto.randomUUID()}`, { name: 'Owned', type: api.types[0] as string }];
    const agent = (await api.call('POST', `/agents?owner=${owner}`, { body })).json as Agent;
    const of = async (query: string) => (await api.get(`/agents?${query}`)).json;
    expect(agent).not.toHaveProperty('owner');
    expect(await of(`owner=${owner}`)).toEqual([{ ...agent, owner }]);
    expect(await of(`owner=${owner}&fields=name`)).toEqual([{ id: agent.id, name: 'Owned' }]);
    expect(await of(`owner=${owner}&q=nobody`)).toEqual([]);
    expect(await of('fields=owner,paused_at&order=desc&limit=1000')).toContainEqual({
      ...{ id: agent.id, paused_at: null, owner },
    });
    const put = (query: string) => api.call('PUT', `/agents/${agent.id}${query}`, { body });
    expectResponse(await put(''), 200, agent);
    expect(await of(`owner=${owner}`)).toHaveLength(1);
    expect(await of(`owner=${owner}2`)).toEqual([]);
    await put(`?owner=${owner}2`);
    expect(await of(`owner=${owner}2`)).toHaveLength(1);
    await put('?owner=');
    expect(await of(`owner=${owner}2`)).toEqual([]);
    expectInvalid(await put(`?owner=${'x'.repeat(513)}`), 'owner');
    await api.call('DELETE', `/agents/${agent.id}`);
  });

  test('a check says of an agent and its definition what storing them would say, and stores nothing', async () => {
    const check = (body: object) =>
      api.call('POST', '/agent-checks', { body: { name: 'C', type: api.types[0], ...body } });
    expectResponse(await check({}), 200, { definition: null });
    const definition = {
      mcp_servers: [{ name: 'a', command: 'b' }],
      workspace: { repository: 'https://git.example/a' },
    };
    expect((await check({ definition })).json).toMatchObject({
      definition: {
        ...{ mcp_servers: [{ name: 'a', command: 'b', args: [], env: {} }], limits: null, tags: [] },
        workspace: { ref: null },
      },
    });
    expectInvalid(await check({ type: 'nothing' }), 'type');
    expectInvalid(await check({ definition: { limits: { max_attempts: 99 } } }), 'definition.limits.max_attempts');
    expect((await api.get('/agents?name=C')).json).toEqual([]);
  });

  test('DELETE is 204 with an empty body, and 404 when repeated', async () => {
    const agent = await api.createAgent();
    const task = await api.createTask(agent.id);
    expectNoBody(await api.call('DELETE', `/agents/${agent.id}`), 204);
    for (const [method, path, body] of [
      ['DELETE', '', undefined],
      ['GET', '', undefined],
      ['PUT', '', { name: 'Back', type: api.types[0] }],
      ['GET', '/tasks', undefined],
      ['POST', '/tasks', { message: 'Too late' }],
      ['GET', `/tasks/${task.id}`, undefined],
      ['GET', '/usage', undefined],
    ] as const) {
      expectDetail(await api.call(method, `/agents/${agent.id}${path}`, { body }), 404, NOT_FOUND);
    }
  });

  test("an agent's id in another case, or with a blank, names no agent", async () => {
    const { id } = await api.createAgent();
    for (const other of [id.toUpperCase(), `${id}%20`, id.replaceAll('-', ''), `{${id}}`, `${id}%0`]) {
      expectDetail(await api.get(`/agents/${other}`), 404, NOT_FOUND);
    }
  });

  describe('a name is stored unchanged, but for lone surrogates:', () => {
    const names = {
      '100 characters': 'a'.repeat(100),
      '100 emoji, each one code point': '😀'.repeat(100),
      'blanks around it': '  Ada ',
      'a decomposed accent': 'Ade\u0301le',
      'a line break and a NUL': 'a\n\u0000b',
      'a lone surrogate': 'a\ud800b\udc00',
      'right to left': 'עדה \u202e',
      'quotes, backslashes and text like the rest of a record': 'a","status":"active","created_at":"x"}\\',
      'the name of a built-in': '__proto__',
    };
    test.each(Object.entries(names))('%s', async (_what, name) => {
      const agent = await api.createAgent({ name });
      expect(agent.name).toBe(name.toWellFormed());
      const replaced = await api.call('PUT', `/agents/${agent.id}`, { body: { name: `${name}`, type: api.types[1] } });
      expectResponse(replaced, 200, { ...agent, type: api.types[1] });
      expectResponse(await api.get(`/agents/${agent.id}`), 200, { ...agent, type: api.types[1] });
    });
  });

  describe('an invalid agent is 400 with the names of its fields:', () => {
    const good = () => ({ name: 'Ada', type: api.types[0] });
    const cases: Record<string, [body: () => unknown, ...paths: string[]]> = {
      'an empty object': [() => ({}), 'name', 'type'],
      'an empty name': [() => ({ ...good(), name: '' }), 'name'],
      'a name of blanks only': [() => ({ ...good(), name: ' \t\n ' }), 'name'],
      'a name of Unicode blanks only': [() => ({ ...good(), name: '\u3000\u00a0' }), 'name'],
      'a name of 101 characters': [() => ({ ...good(), name: 'a'.repeat(101) }), 'name'],
      'a name of 101 emoji': [() => ({ ...good(), name: '😀'.repeat(101) }), 'name'],
      'fields that are null': [() => ({ name: null, type: null }), 'name', 'type'],
      'fields of another type': [() => ({ name: 5, type: [api.types[0]] }), 'name', 'type'],
      'an unknown type': [() => ({ ...good(), type: 'robot' }), 'type'],
      'a type in another case': [() => ({ ...good(), type: api.types[0]?.toUpperCase() }), 'type'],
    };
    test.each(Object.entries(cases))('%s', async (_what, [body, ...paths]) => {
      const agent = await api.createAgent();
      expectInvalid(await api.call('POST', '/agents', { body: body() }), ...paths);
      expectInvalid(await api.call('PUT', `/agents/${agent.id}`, { body: body() }), ...paths);
      expectResponse(await api.get(`/agents/${agent.id}`), 200, agent);
    });
  });
}
