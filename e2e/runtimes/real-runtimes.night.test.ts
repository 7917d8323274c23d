import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { ROOT } from '@agent-fleet/scripts/services';
import { type GitServer, startGitServer } from '@agent-fleet/scripts/testing/git-server';
import type { ModelRequest, Reply } from '@agent-fleet/scripts/testing/model-server/model-api';
import { type ModelServer, startModelServer } from '@agent-fleet/scripts/testing/model-server/model-server';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FILE_SKILL, openSkillPlace } from '../contract/skill-place.ts';
import { Api, type Task } from '../harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import type { RegistrySource } from '../spec/registry-file.ts';
import {
  AGENTS,
  type AgentUnderTest,
  findOnPath,
  HAS_SANDBOX,
  isWork,
  PROPRIETARY,
  PROVIDER_KEY,
} from './agents-under-test.ts';
import { BAIT, createHostileRepository } from './hostile-repository.ts';
import { installPrograms } from './install-programs.ts';

const END_MS = 120_000;
const ENDED = ['completed', 'failed', 'cancelled'];
const SCHEMA = { type: 'object', properties: { answer: { type: 'integer' } }, required: ['answer'] };

const programs = CONTROLS_PROCESSES ? await installPrograms() : undefined;
const folder = ownFolder();
const caught = join(folder, 'caught');
const api = new Api();
let models: ModelServer;
/** Where the hostile repository leads model calls. */
let elsewhere: ModelServer;
let git: GitServer;
let skills: RegistrySource;
/** When the model got the first request of a case. */
const firstAt = new Map<string, number>();

if (!CONTROLS_PROCESSES) logOmittedTests('real runtimes');
else if (programs === undefined) test.skip('the real runtimes, which could not be installed', () => {});
else describe.each(AGENTS)('The real $runtime in a worker', (agent) => specify(agent, join(programs, agent.runtime)));
for (const agent of PROPRIETARY) {
  const program = findOnPath(agent.runtime === 'claude-code' ? 'claude' : agent.runtime);
  if (program === undefined) test.skip(`the real ${agent.runtime}, which is not installed`, () => {});
  else if (CONTROLS_PROCESSES) describe(`The real ${agent.runtime} in a worker`, () => specify(agent, program));
}

beforeAll(async () => {
  if (!CONTROLS_PROCESSES) return;
  skills = await openSkillPlace();
  await api.open({ ownRedis: startTestRedis, env: { registry: skills.env } });
  models = await startModelServer({ reply, key: PROVIDER_KEY });
  elsewhere = await startModelServer();
  createHostileRepository(join(folder, 'repositories/hostile'), caught, elsewhere.url);
  git = await startGitServer(join(folder, 'repositories'));
}, 180_000);

afterAll(async () => {
  await models?.close();
  await elsewhere?.close();
  await api.close();
  skills?.close();
}, 180_000);

/** The case of a request: the last one that its conversation names. */
const caseOf = ({ body }: ModelRequest) =>
  JSON.stringify(body)
    .match(/CASE:[\w-]+:\w+/g)
    ?.at(-1) ?? '';

/** What the model does in each case. */
function reply(request: ModelRequest): Reply {
  const [, runtime = '', name = ''] = caseOf(request).split(':');
  const agent = [...AGENTS, ...PROPRIETARY].find((each) => each.runtime === runtime);
  if (!isWork(request) || agent === undefined) return { text: 'A title' };
  if (!firstAt.has(caseOf(request))) firstAt.set(caseOf(request), performance.now());
  const isFirst = request.toolResults.length === 0;
  const shell = (command: string): Reply =>
    isFirst ? { tools: [agent.shell(command)] } : { text: 'The tool has run.' };
  if (name === 'tool') return shell('echo made > made.txt; cat made.txt; env');
  if (name === 'schema') return { text: 'Here it is:\n```json\n{"answer":42}\n```' };
  if (name === 'status401') return { status: 401, message: 'Incorrect API key provided' };
  if (name === 'status429') return { status: 429, retryAfterSeconds: 1, message: 'Rate limit reached' };
  if (name === 'status500') return { status: 500, retryAfterSeconds: 1, message: 'Internal server error' };
  if (name === 'hang') return shell(`sleep 4000.${runtime.length} & setsid sleep 4001.${runtime.length} & wait`);
  if (name === 'orphan') return shell(`(setsid sleep 4002.${runtime.length} >/dev/null 2>&1 &); echo left`);
  if (name === 'continued')
    return { text: request.api && JSON.stringify(request.body).includes('blue') ? 'It is blue.' : 'No.' };
  return { text: 'All is done.', usage: { input_tokens: 1_000, cached_input_tokens: 400, output_tokens: 50 } };
}

const toSeconds = (ms: number) => Math.round(ms / 100) / 10;

/** Command lines of running processes. */
function commands(): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    } catch {
      return '';
    }
  });
}

function specify(agent: AgentUnderTest, program: string): void {
  const { runtime } = agent;
  let agentId = '';
  let worker: Child;
  const figures: Record<string, { seconds: number; firstRequest?: number; tokens?: unknown }> = {};

  beforeAll(async () => {
    agentId = (await api.createAgent({ type: agent.agentType })).id;
    worker = startWorker(agent, program, agentId);
  });

  afterAll(async () => {
    await worker?.stop();
    console.info(runtime, figures);
  }, 60_000);

  async function end(task: Task): Promise<Task> {
    let last = task;
    await until(
      async () => {
        last = await api.readTask(task);
        return ENDED.includes(last.status);
      },
      { message: () => `${task.message} ends; the worker printed: ${worker.printed()}`, timeoutMs: END_MS },
    );
    return last;
  }

  async function create(name: string, fields: Record<string, unknown> = {}): Promise<Task> {
    return api.createTask(agentId, { message: `CASE:${runtime}:${name}`, max_attempts: 1, ...fields });
  }

  async function run(name: string, fields: Record<string, unknown> = {}) {
    const began = performance.now();
    const seen = models.requests.length;
    const task = await end(await create(name, fields));
    const requests = models.requests.slice(seen).filter((request) => caseOf(request) === `CASE:${runtime}:${name}`);
    const firstRequest = toSeconds((firstAt.get(`CASE:${runtime}:${name}`) ?? Number.NaN) - began);
    figures[name] = { seconds: toSeconds(performance.now() - began), firstRequest, tokens: task.usage };
    return { task, requests, result: task.result as Record<string, unknown> };
  }

  test('answers, with its session and what it used', async () => {
    const { task, result } = await run('text');
    expect(task).toMatchObject({ status: 'completed', usage: { input_tokens: expect.any(Number) } });
    expect(result).toMatchObject({ text: 'All is done.', session: { runtime, id: expect.any(String) } });
    expect(result.usage).toMatchObject({ cached_input_tokens: 400, output_tokens: expect.any(Number) });
  });

  test('runs a command, which sees no key of the provider', async () => {
    const { task, requests } = await run('tool');
    expect(task).toMatchObject({ status: 'completed', result: { text: 'The tool has run.' } });
    const results = requests.flatMap(({ toolResults }) => toolResults).join();
    expect(results).toContain('made');
    expect(results).toContain('FLEET_TASK_ID');
    expect(JSON.stringify(requests.map(({ body }) => body))).not.toContain(PROVIDER_KEY);
  });

  test('returns an output that conforms to the schema', async () => {
    const { task } = await run('schema', { output_schema: SCHEMA });
    expect(task).toMatchObject({ status: 'completed', result: { output: { answer: 42 } } });
  });

  test.each([
    ['status401', 'auth_failed'],
    ['status429', 'rate_limited'],
    ['status500', 'no_result'],
  ])('fails with a code after %s of the provider', async (name, code) => {
    expect((await run(name)).task).toMatchObject({ status: 'failed', error: { code } });
  });

  test('leaves no process when its task is cancelled', async () => {
    const task = await create('hang');
    const sleeps = [`sleep 4000.${runtime.length}`, `sleep 4001.${runtime.length}`];
    await until(() => sleeps.every((sleep) => commands().includes(sleep)), {
      message: () => `the command runs; the worker printed: ${worker.printed()}`,
      timeoutMs: END_MS,
    });
    const began = performance.now();
    await api.cancel(task);
    expect(await end(task)).toMatchObject({ status: 'cancelled' });
    await until(() => !sleeps.some((sleep) => commands().includes(sleep)), { message: 'its processes end' });
    figures.cancel = { seconds: toSeconds(performance.now() - began) };
  });

  test('leaves no process that a command has detached', async () => {
    expect((await run('orphan')).task).toMatchObject({ status: 'completed' });
    await until(() => !commands().includes(`sleep 4002.${runtime.length}`), { message: 'the process ends' });
  });

  test('has the skill of its task, verified', async () => {
    const { task, requests, result } = await run('skill', { skills: [FILE_SKILL] });
    expect(task).toMatchObject({ status: 'completed', error: null });
    expect(result.skills).toEqual([
      { id: FILE_SKILL, name: FILE_SKILL, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), verified: true },
    ]);
    expect(JSON.stringify(requests.map(({ body }) => body))).toContain('Reviews a change.');
  });

  test('goes on with a session', async () => {
    const first = await run('remember', { message: `CASE:${runtime}:remember The color is blue.` });
    const { task } = await run('continued', { continue_of: first.task.id });
    expect(task).toMatchObject({ status: 'completed', error: null, result: { text: 'It is blue.' } });
  });

  test('gives a hostile repository nothing', async () => {
    const repository = `${git.url}/hostile/.git`;
    const { task, requests } = await run('hostile', { workspace: { repository } });
    expect(task).toMatchObject({ status: 'completed', error: null, result: { text: 'All is done.' } });
    expect(requests.length).toBeGreaterThan(0);
    expect(JSON.stringify(requests.map(({ body }) => body)).includes(BAIT)).toBe(false);
    expect(elsewhere.requests).toEqual([]);
    expect(readdirSync(folder)).not.toContain('caught');
  });
}

function startWorker({ runtime, model, env }: AgentUnderTest, program: string, agentId: string): Child {
  const args = ['--agent', agentId, '--runtime', runtime, '--runtime-path', program, '--model', model];
  // Nobody is there to answer.
  args.push('--approvals', 'deny');
  if (runtime === 'claude-code' && !HAS_SANDBOX) args.push('--permissions', 'full', '--i-am-isolated');
  const folders = ['--workspaces', join(folder, runtime), '--keep-workspaces', 'all', '--repository', git.url];
  return startChild(join(ROOT, 'node_modules/.bin/fleet-worker'), [...args, ...folders], {
    env: {
      PATH: process.env.PATH,
      HOME: join(folder, 'home'),
      FLEET_URL: api.baseUrl,
      FLEET_API_KEY: api.apiKey,
      ...env(models.url),
    },
    output: { logFile: join(folder, `${runtime}.log`) },
    graceSeconds: 30,
  });
}
