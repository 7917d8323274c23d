import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { createFleet, type Fleet, FleetError } from '@agent-fleet/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Api } from '../harness/api.ts';
import { withDefaultTypes } from '../harness/shared-fleet.ts';
import { installPackage, runBySystemNode, runInBrowser } from './sdk-package.ts';
import { SDK_TYPES, toSdkTypes } from './sdk-types.ts';

const api = new Api();
let fleet: Fleet;
beforeAll(async () => {
  await api.open();
  fleet = createFleet({ url: api.baseUrl, apiKey: api.apiKey });
}, 180_000);
afterAll(() => api.close(), 180_000);

async function createTask(agentId: string, message = 'Do it') {
  const params = { path: { agent_id: agentId } };
  return (await fleet.post('/agents/{agent_id}/tasks', { params, body: { message } })).data;
}

test('the types are those of the served document: else run `npm run generate -w clients/sdk`', async () => {
  const document = await (await fetch(`${api.baseUrl}/openapi.json`)).text();
  // Not a diff of ten thousand lines.
  expect((await toSdkTypes(withDefaultTypes(document))) === readFileSync(SDK_TYPES, 'utf8')).toBe(true);
});

test('creates, reads, lists and deletes', async () => {
  const { data: agent, response } = await fleet.post('/agents', { body: { name: 'é', type: String(api.types[0]) } });
  expect(response.status).toBe(201);
  const tasks = [await createTask(agent.id, 'one'), await createTask(agent.id, 'two'), await createTask(agent.id)];
  const listed: string[] = [];
  const params = { path: { agent_id: agent.id }, query: { limit: 1 } };
  for await (const { id } of fleet.paginate('/agents/{agent_id}/tasks', { params })) listed.push(id);
  expect(listed).toEqual(tasks.map(({ id }) => id));
  await fleet.delete('/agents/{agent_id}', { params: { path: { agent_id: agent.id } } });
  const missing = await fleet.get('/agents/{agent_id}', { params: { path: { agent_id: agent.id } } }).catch((e) => e);
  expect(missing).toBeInstanceOf(FleetError);
  expect(missing).toMatchObject({
    status: 404,
    code: 'not_found',
    requestId: expect.any(String),
    message: '404: Agent not found',
  });
});

test('signs in with a form, and reads as a user', async () => {
  const { email, password } = api.admin;
  const anonymous = createFleet({ url: api.baseUrl });
  const { data } = await anonymous.post('/token', { body: { grant_type: 'password', username: email, password } });
  const user = createFleet({ url: api.baseUrl, token: () => data.access_token });
  expect((await user.get('/protected')).data).toEqual({ user: email });
});

test('a creation whose response is lost creates once', async () => {
  const agent = await api.createAgent();
  let isLost = false;
  const losing = createFleet({
    url: api.baseUrl,
    apiKey: api.apiKey,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (isLost) return response;
      isLost = true;
      await response.text();
      throw new TypeError('the connection broke');
    },
  });
  const params = { path: { agent_id: agent.id } };
  const { data, response } = await losing.post('/agents/{agent_id}/tasks', { params, body: { message: 'once' } });
  expect(response.headers.get('idempotency-replayed')).toBe('true');
  expect((await fleet.get('/agents/{agent_id}/tasks', { params })).data).toEqual([data]);
});

test('waiting for a task ends in time, and with its signal', async () => {
  const agent = await api.createAgent();
  const { id } = await createTask(agent.id);
  const task = { agentId: agent.id, taskId: id };
  await expect(fleet.waitForTask(task, { timeoutMs: 300 })).rejects.toMatchObject({ code: 'wait_timeout' });
  const signal = AbortSignal.timeout(300);
  await expect(fleet.waitForTask(task, { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
  await expect(fleet.waitForTask({ ...task, taskId: 'none' })).rejects.toMatchObject({ status: 404 });
});

describe('the package', () => {
  const folder = ownFolder();
  beforeAll(() => installPackage(folder), 120_000);

  const USE = `
    import { createFleet, FleetError } from '@agent-fleet/sdk';
    const missing = await fleet.get('/agents/{agent_id}', { params: { path: { agent_id: 'none' } } }).catch((error) => error);
    const { data: agent } = await fleet.post('/agents', { body: { name: 'packed', type } });
    const params = { path: { agent_id: agent.id } };
    const { data: task } = await fleet.post('/agents/{agent_id}/tasks', { params, body: { message: 'packed' } });
    await fleet.put('/agents/{agent_id}/tasks/{task_id}/cancellation', { params: { path: { ...params.path, task_id: task.id } }, body: {} });
    const ended = await fleet.waitForTask({ agentId: agent.id, taskId: task.id });
    const events = [];
    const path = { ...params.path, task_id: task.id };
    for await (const { event } of fleet.events('/agents/{agent_id}/tasks/{task_id}/events', { params: { path } })) events.push(event);
    let count = 0;
    for await (const agent of fleet.paginate('/agents', { params: { query: { limit: 1 } } })) count += 1;
    const used = [missing instanceof FleetError && missing.code, ended.status, events, count > 0];
  `;
  const USED = ['not_found', 'cancelled', ['task.created', 'task.cancelled'], true];
  const withFleet = (options: string) =>
    USE.replace(
      'const missing',
      `const fleet = createFleet(${options});\n    const type = ${JSON.stringify(api.types[0])};\n    const missing`,
    );

  test('works in the Node of the system', async () => {
    const program = `${withFleet('{ url: process.env.FLEET_URL, apiKey: process.env.FLEET_API_KEY }')}
      console.log(JSON.stringify(used));`;
    const env = { FLEET_URL: api.baseUrl, FLEET_API_KEY: api.apiKey };
    expect(JSON.parse(await runBySystemNode(folder, program, env))).toEqual(USED);
  });

  test('runs the examples of its README', async () => {
    const readme = readFileSync(join(folder, 'built/README.md'), 'utf8');
    // Workers of other files take tasks of `claude`.
    const own = (code = '') => code.replaceAll("'claude'", `'${api.types[0]}'`);
    const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => own(code));
    expect(examples).toHaveLength(3);
    const env = { FLEET_URL: api.baseUrl, FLEET_API_KEY: api.apiKey };
    const [tasks, errors] = await Promise.all(examples.map((code) => runBySystemNode(folder, code, env)));
    expect(tasks).toMatch(/^\S+ pending\ncancelled\n$/);
    expect(errors).toMatch(/^validation_error /);
  });

  test('works where there is nothing of Node', async () => {
    const options = JSON.stringify({ url: api.baseUrl, apiKey: api.apiKey });
    const { used } = await runInBrowser(folder, `${withFleet(options)} export { used };`);
    expect(JSON.parse(JSON.stringify(used))).toEqual(USED);
  });
});
