import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Request } from 'express';
import request from 'supertest';
import { z } from 'zod';
import { createHttpApp, finishApp } from '../http/app.ts';
import { httpError } from '../http/errors.ts';
import type { RunningServer } from '../http/serve.ts';
import { createLogger } from '../logger.ts';
import { listen } from '../testing/listen.ts';
import { type Binding, bind, json, type Operation } from './operation.ts';
import { createRouter } from './router.ts';

const operation = (method: Operation['method'], path: string): Operation => {
  return { id: `${method} ${path}`, method, path, tag: '', summary: '', security: 'public', responses: {} };
};

/** Responds with its operation and parameters. */
const echo = (method: Operation['method'], path: string): Binding =>
  bind(operation(method, path), ({ params }) => ({ ...json({ [`${method} ${path}`]: params }), etag: '"1"' }));

const query = z.object({ limit: z.string().optional() });

const app = createHttpApp();
const bindings = [
  echo('get', '/'),
  echo('get', '/agents'),
  echo('post', '/agents'),
  echo('put', '/agents/{agent_id}'),
  echo('get', '/agents/{agent_id}'),
  echo('get', '/agents/{agent_id}/tasks/{task_id}'),
  echo('put', '/leases/{lease_id}/result'),
  echo('get', '/.well-known/a.json'),
  bind({ ...operation('get', '/query'), query }, (input) => json(input.query)),
  bind(operation('get', '/throws'), () => {
    throw httpError('semantic_error', 'thrown');
  }),
  bind(operation('get', '/rejects'), async () => Promise.reject(httpError('semantic_error', 'rejected'))),
  bind({ ...operation('put', '/body/{name}'), query, body: { schema: z.object({}), example: {} } }, ({ params }) =>
    json(params),
  ),
];
app.use(createRouter(bindings));
app.get('/later', (_req, res) => void res.json('later'));
finishApp(app, createLogger('test', 'silent'));

let running: RunningServer;
beforeAll(async () => {
  running = await listen(app);
});
afterAll(() => running.close());

const get = (path: string) => request(running.server).get(path);

/** Sends a request with a target that clients rewrite. */
function sendTarget(target: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(running.port, '127.0.0.1').on('error', reject);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
    socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  });
}

test.each([
  ['/', { 'get /': {} }],
  ['/agents', { 'get /agents': {} }],
  ['/agents?a=/b', { 'get /agents': {} }],
  ['/agents/a', { 'get /agents/{agent_id}': { agent_id: 'a' } }],
  ['/agents/a/tasks/b', { 'get /agents/{agent_id}/tasks/{task_id}': { agent_id: 'a', task_id: 'b' } }],
  ['/agents/tasks/tasks/tasks', { 'get /agents/{agent_id}/tasks/{task_id}': { agent_id: 'tasks', task_id: 'tasks' } }],
  ['/agents/__proto__', { 'get /agents/{agent_id}': { agent_id: '__proto__' } }],
  [`/agents/${'x'.repeat(10_000)}`, { 'get /agents/{agent_id}': { agent_id: 'x'.repeat(10_000) } }],
  ['/.well-known/a.json', { 'get /.well-known/a.json': {} }],
])('%s is routed to its operation', async (path, expected) => {
  expect((await get(path).expect(200)).body).toEqual(expected);
});

test.each([
  ['a%20b', 'a b'],
  ['%F0%9F%98%80', '😀'],
  ['a%2Fb', 'a/b'],
  ['%2541', '%41'],
  ['a+b;c=d', 'a+b;c=d'],
  ['100%', '100%'],
  ['%zz', '%zz'],
  ['%ff', '%ff'],
])('the parameter %s is decoded as %s', async (segment, expected) => {
  const { body } = await get(`/agents/${segment}`).expect(200);
  expect(body).toEqual({ 'get /agents/{agent_id}': { agent_id: expected } });
});

test('all escapes of a parameter are literal when one is malformed', async () => {
  const { body } = await get('/agents/%41%/tasks/%41?a=%').expect(200);
  expect(Object.values(body)).toEqual([{ agent_id: '%41%', task_id: 'A' }]);
});

test('a path of no operation is left to the handlers that follow', async () => {
  expect((await get('/later').expect(200)).body).toBe('later');
});

test('an absolute target counts by its path', async () => {
  expect(await sendTarget('http://b/agents/a?c')).toMatch(/"agent_id":"a"/);
  expect(await sendTarget('http://b/nope')).toMatch(/^HTTP\/1.1 404 /);
});

test('HEAD responds like GET, without a body', async () => {
  const { headers, text } = await request(running.server).head('/agents/a').expect(200);
  expect([headers['content-length'], headers.etag, text]).toEqual(['43', '"1"', undefined]);
});

test('a query is parsed by its schema', async () => {
  expect((await get('/query?limit=a%20b+c&other=1').expect(200)).body).toEqual({ limit: 'a b c' });
  expect((await get('/query?limit=1&limit=2').expect(400)).body.error).toBe('validation_error');
});

test('an error of a handler becomes the response', async () => {
  expect((await get('/throws').expect(422)).body.message).toBe('thrown');
  expect((await get('/rejects').expect(422)).body.message).toBe('rejected');
});

test('a condition that holds is 304 for GET, and ignored for POST', async () => {
  await get('/agents').set('if-none-match', 'W/"1"').expect(304);
  await request(running.server).post('/agents').set('if-none-match', '"1"').expect(200);
});

test('a hook runs before the query and the body of an operation are read, and may refuse the request', async () => {
  const seen: unknown[] = [];
  const hooked = createHttpApp();
  const before = ({ id }: Operation, params: Record<string, string>, { method }: Request) => {
    seen.push([id, params, method]);
    if (params.name === 'refused') throw httpError('forbidden', 'refused');
  };
  hooked.use(createRouter(bindings, before));
  finishApp(hooked, createLogger('test', 'silent'));
  const put = (path: string) => request(hooked).put(path).set('content-type', 'application/json').send('no JSON');
  await put('/body/refused?limit=1&limit=2').expect(403);
  await put('/body/a').expect(400);
  await request(hooked).head('/agents/7').expect(200);
  expect(seen).toEqual([
    ['put /body/{name}', { name: 'refused' }, 'PUT'],
    ['put /body/{name}', { name: 'a' }, 'PUT'],
    ['get /agents/{agent_id}', { agent_id: '7' }, 'HEAD'],
  ]);
  // Other methods and paths have no operation.
  await request(hooked).delete('/agents').expect(405);
  await request(hooked).options('/agents').expect(204);
  await request(hooked).get('/nope').expect(404);
  expect(seen).toHaveLength(3);
});
