import { describe, expect, test } from '@jest/globals';
import { createFleet, type FleetError, type FleetOptions, type SentRequest } from '../src/index.ts';
import { type Answer, useServer } from './support/test-server.ts';

const { url, received, answer, answerAll } = await useServer();
const create = (options: Partial<FleetOptions> = {}) => createFleet({ url, apiKey: 'key', ...options });
const PARAMS = { params: { path: { agent_id: 'a/1' } } };
const TASK = { ...PARAMS, body: { message: 'Do it' } };
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: FleetError) => error,
  );

describe('a call', () => {
  test('resolves with the data and the response', async () => {
    answer({ json: { id: 'a/1', name: 'é' }, headers: { etag: '"1"' } });
    const { data, response } = await create().get('/agents/{agent_id}', PARAMS);
    expect(data).toEqual({ id: 'a/1', name: 'é' });
    expect(response.headers.get('etag')).toBe('"1"');
    expect(received).toMatchObject([{ method: 'GET', url: '/agents/a%2F1', headers: { 'x-api-key': 'key' } }]);
  });

  test.each(['', '.', '..'])('refuses %j as an id: the request would be another one', async (agent_id) => {
    const params = { path: { agent_id } };
    await expect(create().delete('/agents/{agent_id}', { params })).rejects.toThrow('agent_id must be an id');
    const events = create().events('/agents/{agent_id}/events', { params });
    await expect(events.next()).rejects.toThrow('agent_id must be an id');
    expect(received).toEqual([]);
  });

  test('has no data after 204, and text of another type than JSON', async () => {
    answer({ status: 204 }, { text: '# Skill', headers: { 'content-type': 'text/markdown; charset=utf-8' } });
    const fleet = create();
    expect((await fleet.delete('/agents/{agent_id}', PARAMS)).data).toBeUndefined();
    const skill = { params: { path: { skill_id: 's' } } };
    expect((await fleet.get('/api/skills/{skill_id}/skill.md', skill)).data).toBe('# Skill');
  });

  test('sends JSON, and forms where the operation takes one', async () => {
    const fleet = create({ url: `${url}/base/` });
    await fleet.post('/agents/{agent_id}/tasks', { ...TASK, params: { ...TASK.params, header: {} } });
    await fleet.post('/token', { body: { grant_type: 'password', username: 'a b', password: 'p&q' } });
    expect(received).toMatchObject([
      { url: '/base/agents/a%2F1/tasks', body: '{"message":"Do it"}', headers: { 'content-type': 'application/json' } },
      {
        url: '/base/token',
        body: 'grant_type=password&username=a+b&password=p%26q',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ]);
  });

  test('has a bearer token, which a function may return anew for each request', async () => {
    let calls = 0;
    const token = async () => `t${++calls}`;
    answer({ status: 503 });
    await create({ apiKey: undefined, token }).get('/agents');
    await create({ apiKey: undefined, token: 'fixed', userAgent: 'test/1' }).get('/agents');
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2', 'Bearer fixed']);
    expect(received.at(-1)?.headers).toMatchObject({ 'user-agent': 'test/1' });
    expect(received.at(-1)?.headers).not.toHaveProperty('x-api-key');
  });

  test('is sent once more after 401 if the function of the token has another one', async () => {
    const asked: unknown[] = [];
    const token = (refused?: string) => {
      asked.push(refused);
      return refused === undefined ? 'old' : 'new';
    };
    const fleet = create({ apiKey: undefined, token, retries: 0 });
    answer({ status: 401 }, { status: 201, json: {} });
    await fleet.post('/agents/{agent_id}/tasks', TASK);
    expect(asked).toEqual([undefined, 'old']);
    expect(received.map(({ headers, body }) => [headers.authorization, body])).toEqual([
      ['Bearer old', '{"message":"Do it"}'],
      ['Bearer new', '{"message":"Do it"}'],
    ]);
    answer({ status: 401 }, { status: 401 });
    await expect(fleet.get('/agents')).rejects.toMatchObject({ status: 401 });
    expect(received).toHaveLength(4);
    answer({ status: 401 });
    await expect(create({ apiKey: undefined, token: () => 'same' }).get('/agents')).rejects.toThrow();
    expect(received).toHaveLength(5);
  });

  test('tells `onRequest` about each request, without credentials', async () => {
    answer('cut', { status: 503, headers: { 'x-request-id': 'r1' } });
    const sent: SentRequest[] = [];
    await create({ onRequest: (request) => sent.push(request) }).get('/agents');
    expect(sent).toMatchObject([
      { method: 'GET', url: `${url}/agents`, attempt: 1, error: expect.any(String) },
      { attempt: 2, status: 503, requestId: 'r1' },
      { attempt: 3, status: 200, durationMs: expect.any(Number) },
    ]);
    expect(JSON.stringify(sent)).not.toContain('key');
  });
});

describe('an error', () => {
  test('says why there is no response', async () => {
    const fleet = create({ url: 'http://127.0.0.1:9', retries: 0 });
    const error = await errorOf(fleet.get('/agents'));
    expect(error).toMatchObject({ name: 'FleetUnavailableError', status: 0, code: 'unavailable' });
    expect(error?.message).toMatch(/ECONNREFUSED|bad port/);
  });

  test('is returned by the raw client', async () => {
    answer({ status: 404, json: { detail: 'Agent not found' } });
    const { error, response } = await create().api.GET('/agents/{agent_id}', PARAMS);
    expect([error, response.status]).toEqual([{ detail: 'Agent not found' }, 404]);
  });
});

describe('a request is repeated', () => {
  test('with the same Idempotency-Key and body, if it creates', async () => {
    answer('cut');
    const fleet = create();
    await fleet.post('/agents/{agent_id}/tasks', TASK);
    const [first, second] = received;
    expect(first?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toMatchObject({
      body: '{"message":"Do it"}',
      headers: { 'idempotency-key': first?.headers['idempotency-key'] },
    });
    await fleet.post('/agents/{agent_id}/tasks', { ...TASK, idempotencyKey: 'mine' });
    expect(received.at(-1)?.headers['idempotency-key']).toBe('mine');
  });

  test('when it was not sent', async () => {
    const sent: SentRequest[] = [];
    const away = create({ url: 'http://127.0.0.1:1', onRequest: (request) => sent.push(request), retries: 2 });
    await errorOf(away.post('/leases', { body: { worker_id: 'w' } }));
    expect(sent.length).toBe(sent[0]?.error?.includes('ECONNREFUSED') ? 3 : 1);
  });

  test('as often as a call says', async () => {
    answer({ status: 503 });
    await errorOf(create().get('/agents', { retries: 0 }));
    expect(received).toHaveLength(1);
  });

  test('after Retry-After', async () => {
    answer({ status: 429, headers: { 'retry-after': '1' } });
    const beganAt = performance.now();
    await create().get('/agents');
    expect(performance.now() - beganAt).toBeGreaterThan(990);
  });
});

describe('a call ends', () => {
  test.each<[string, Answer]>([
    ['no response', 'silence'],
    [
      'half a response',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '10' });
        response.write('[1');
      },
    ],
  ])('when its time is over: %s', async (_what, response) => {
    answerAll(response);
    const beganAt = performance.now();
    const error = await errorOf(create({ timeoutMs: 300 }).get('/agents'));
    expect(error).toMatchObject({ name: 'FleetUnavailableError', message: 'no response within 0.3 s' });
    expect(performance.now() - beganAt).toBeLessThan(3_000);
  });

  test('with the reason of its signal, also in a pause', async () => {
    const reason = new Error('enough');
    for (const failure of ['silence', { status: 503, headers: { 'retry-after': '20' } }] as const) {
      answer(failure);
      const controller = new AbortController();
      const call = create().get('/agents', { signal: controller.signal });
      setTimeout(() => controller.abort(reason), 100);
      await expect(call).rejects.toBe(reason);
    }
    await expect(create().get('/agents', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(received).toHaveLength(2);
  });

  test('later by the time that the fleet is asked to wait', async () => {
    answer((response) => void setTimeout(() => response.end('{}'), 400));
    await create({ timeoutMs: 200 }).post('/leases', { body: { worker_id: 'w', wait_seconds: 5 } });
    expect(received).toHaveLength(1);
  });
});

test('a list is read no further than the caller needs', async () => {
  answerAll({ json: [1], headers: { link: '</tasks?skip=1>; rel="next"' } });
  for await (const _record of create().paginate('/tasks')) break;
  expect(received).toHaveLength(1);
});

test('the listeners of a long-lived signal do not accumulate', async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener: (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    },
    removeEventListener: (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    },
  });
  for (let index = 0; index < 20; index++) await create().get('/agents', { signal });
  expect(listeners).toBe(0);
});

test.each<[string, Partial<FleetOptions>]>([
  ['url must be like', { url: 'localhost' }],
  ['url must be like', { url: 'ftp://host' }],
  ['must not have credentials', { url: 'http://a:b@host' }],
  ['apiKey has characters', { apiKey: 'a\nb' }],
  ['token has characters', { token: 'é€' }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['retries', { retries: -1 }],
])('refuses wrong options: %s', (message, options) => {
  expect(() => create(options)).toThrow(message);
});

test('a token function that fails leaves its reason', async () => {
  const failing = create({ token: () => Promise.reject(new Error('no login')) });
  await expect(failing.get('/agents')).rejects.toThrow('failed to get a token: no login');
  expect(received).toHaveLength(0);
});
