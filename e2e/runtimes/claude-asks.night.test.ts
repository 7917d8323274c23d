import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { ROOT } from '@agent-fleet/scripts/services';
import type { ModelRequest, Reply } from '@agent-fleet/scripts/testing/model-server/model-api';
import { type ModelServer, startModelServer } from '@agent-fleet/scripts/testing/model-server/model-server';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Api, type Task } from '../harness/api.ts';
import { findInstalled, isWork, PROPRIETARY, PROVIDER_KEY } from './agents-under-test.ts';

const claude = PROPRIETARY[0] as (typeof PROPRIETARY)[number];
const program = findInstalled(claude);
const describeReal = program === undefined ? describe.skip : describe;
/** A continued task is reserved for its worker for a minute. */
const END_MS = 120_000;
const folder = ownFolder();
const api = new Api();
let models: ModelServer;
let agentId = '';
let worker: Child | undefined;

interface Request {
  id: string;
  key: string;
  state: string;
}

describeReal('The real Claude Code asks a person', () => {
  beforeAll(async () => {
    await api.open({ ownRedis: startTestRedis });
    models = await startModelServer({ reply, key: PROVIDER_KEY });
    agentId = (await api.createAgent({ type: 'claude' })).id;
  }, 180_000);

  afterAll(async () => {
    await worker?.stop();
    await models?.close();
    await api.close();
  }, 180_000);

  test('whose answer lets the call run, once', async () => {
    startWorker('one');
    const task = await create('once');
    await answer(task, { option_ids: ['allow'] });
    expect(await end(task)).toMatchObject({ status: 'completed', result: { text: 'The tool has run.' } });
    expect(ran('once')).toBe('ran\n');
    const { json } = await api.get(`/agents/${agentId}/tasks/${task.id}/log-entries?types=tool_call,tool_result`);
    expect(json).toMatchObject([{ type: 'tool_call' }, { type: 'tool_result', data: { exit_code: 0 } }]);
  });

  test('whose words are the reason of a denial', async () => {
    const task = await create('denied');
    await answer(task, { option_ids: ['deny'], text: 'Not on a Friday' });
    expect(await end(task)).toMatchObject({ status: 'completed' });
    expect(ran('denied')).toBe('');
    expect(models.requests.at(-1)?.toolResults.join()).toContain('Not on a Friday');
  });

  test('who may stop it in the middle of a command, and say what now', async () => {
    const task = await create('stopped');
    await answer(task, { option_ids: ['allow'] });
    await until(() => ran('stopped') !== '', { message: 'the command runs', timeoutMs: END_MS });
    const path = `/agents/${agentId}/tasks/${task.id}`;
    expect((await api.call('PUT', `${path}/interruption`)).status).toBe(202);
    await answer(task, { option_ids: ['continue'], text: 'Leave it' }, (key) => key.startsWith('interruption'));
    expect(await end(task)).toMatchObject({ status: 'completed', result: { text: 'As you say.' } });
  });

  test('whose answer comes after the worker was stopped, for another worker', async () => {
    const task = await create('suspended');
    await openRequest(task);
    await worker?.stop();
    expect(await api.readTask(task)).toMatchObject({ status: 'input_required' });
    await answer(task, { option_ids: ['allow'] });
    startWorker('two');
    expect(await end(task)).toMatchObject({ status: 'completed', result: { text: 'The tool has run.' } });
    expect(ran('suspended')).toBe('ran\n');
  });

  test('whose answer comes after the worker was killed', async () => {
    const task = await create('killed');
    await openRequest(task);
    await worker?.kill();
    const hasEnded = async () => (await api.readAttempts(task)).at(-1)?.ended_at != null;
    await until(hasEnded, { message: 'the lease has expired', timeoutMs: END_MS });
    await answer(task, { option_ids: ['allow'] });
    startWorker('two');
    expect(await end(task)).toMatchObject({ status: 'completed', result: { text: 'The tool has run.' } });
    expect(ran('killed')).toBe('ran\n');
  });
});

/** The case of a request: the last one that its conversation names. */
const caseOf = ({ body }: ModelRequest) =>
  JSON.stringify(body)
    .match(/CASE:[\w-]+/g)
    ?.at(-1)
    ?.slice(5) ?? '';

const fileOf = (name: string) => join(folder, `ran-${name}`);
const ran = (name: string) => (existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8') : '');

function reply(request: ModelRequest): Reply {
  if (!isWork(request)) return { text: 'A title' };
  const name = caseOf(request);
  if (JSON.stringify(request.body).includes('Leave it')) return { text: 'As you say.' };
  if (request.toolResults.length > 0) return { text: 'The tool has run.' };
  const after = name === 'stopped' ? '; sleep 600' : '';
  return { tools: [claude.shell(`echo ran >> ${fileOf(name)}${after}`)] };
}

function startWorker(home: string): void {
  const args = [
    '--agent',
    agentId,
    '--runtime',
    'claude-code',
    '--runtime-path',
    program ?? '',
    '--model',
    claude.model,
  ];
  const folders = ['--workspaces', join(folder, home), '--lease-seconds', '5'];
  worker = startChild(join(ROOT, 'node_modules/.bin/fleet-worker'), [...args, ...folders], {
    env: {
      PATH: process.env.PATH,
      HOME: join(folder, 'home'),
      FLEET_URL: api.baseUrl,
      FLEET_API_KEY: api.apiKey,
      ...claude.env(models.url),
    },
    output: { logFile: join(folder, `${home}.log`) },
    graceSeconds: 30,
  });
}

const create = (name: string) => api.createTask(agentId, { message: `CASE:${name}`, max_attempts: 3 });

async function openRequest(task: Task, isMeant = (_key: string) => true): Promise<Request> {
  let open: Request[] = [];
  await until(
    async () => {
      const { json } = await api.get(`/agents/${agentId}/tasks/${task.id}/input-requests`);
      open = (json as Request[]).filter(({ state, key }) => state === 'open' && isMeant(key));
      return open.length > 0;
    },
    { message: () => `${task.message} asks; the worker printed: ${worker?.printed()}`, timeoutMs: END_MS },
  );
  return open[0] as Request;
}

async function answer(task: Task, body: object, isMeant?: (key: string) => boolean): Promise<void> {
  const { id } = await openRequest(task, isMeant);
  const path = `/agents/${agentId}/tasks/${task.id}/input-requests/${id}/answer`;
  expect((await api.call('PUT', path, { body })).status).toBe(200);
}

async function end(task: Task): Promise<Task> {
  let last = task;
  await until(
    async () => {
      last = await api.readTask(task);
      return ['completed', 'failed', 'cancelled'].includes(last.status);
    },
    { message: () => `${task.message} ends; the worker printed: ${worker?.printed()}`, timeoutMs: END_MS },
  );
  return last;
}
