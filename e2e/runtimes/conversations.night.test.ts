import type { Child } from '@agent-fleet/scripts/local/child-process';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pathOf } from '../harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { Conversations } from './conversations.ts';
import { CONVERSING, type ConversingAgent, findProgram } from './conversing-agents.ts';
import { installPrograms } from './install-programs.ts';
import { attemptProcesses } from './processes.ts';

const installed = CONTROLS_PROCESSES ? await installPrograms() : undefined;
const people = new Conversations();
/** A task is reserved for its worker for a minute. */
const ELSEWHERE_MS = 240_000;
const TOOL_RAN = completedWith('The tool has run.');
const SQLITE_CHOSEN = completedWith('SQLite it is.');

if (!CONTROLS_PROCESSES) logOmittedTests('conversations with real programs');
for (const agent of CONTROLS_PROCESSES ? CONVERSING : []) {
  const { path, why } = findProgram(agent, installed);
  if (path === undefined) test.skip(`the real ${agent.name}, ${why}`, () => {});
  else {
    describe(`The real ${agent.name}`, () => specify(agent, path));
    describe(`The real ${agent.name}, while it works,`, () => specifyMessages(agent, path));
  }
}

beforeAll(async () => {
  if (CONTROLS_PROCESSES) await people.open();
}, 180_000);
afterAll(() => people.close(), 180_000);

function specify(agent: ConversingAgent, program: string): void {
  const workers: Record<string, Child> = {};
  let agentId = '';

  /** One that asks, or with `full` one that does not, in a folder that is named by its machine. */
  function start(machine: string, permissions: string = agent.permissions): void {
    const home = `${agent.name}-${machine}`;
    workers[machine] = people.startWorker(agent, program, { agentId, home, permissions });
  }

  const create = (name: string) => people.create(agent, agentId, name);

  beforeAll(async () => {
    agentId = (await people.api.createAgent({ type: agent.agentType })).id;
    start('one');
  });

  afterAll(async () => {
    await Promise.all(Object.values(workers).map((worker) => worker.stop()));
  }, 60_000);

  test('asks a person a question, and goes on with the answer', async () => {
    const task = await create('question');
    await people.choose(task);
    expect(await people.end(task)).toMatchObject(SQLITE_CHOSEN);
  });

  test('runs what a person allows, once', async () => {
    const task = await create('allow');
    await people.decide(task, 'allow');
    expect(await people.end(task)).toMatchObject(TOOL_RAN);
    expect(people.ran(task)).toBe(1);
    const entries = await people.api.get(`${pathOf(task)}/log-entries?types=tool_call,tool_result`);
    expect(entries.json).toMatchObject([{ type: 'tool_call' }, { type: 'tool_result', data: { is_error: false } }]);
  });

  test('reads why a person denies', async () => {
    const task = await create('deny');
    await people.decide(task, 'deny', { text: 'Not on a Friday' });
    expect(await people.end(task)).toMatchObject({ status: 'completed' });
    expect(people.ran(task)).toBe(0);
    expect(JSON.stringify(people.requests.at(-1)?.body)).toContain('Not on a Friday');
  });

  test('runs what a person has changed, where that is possible', async () => {
    const task = await create('edit');
    const { tool, input_editable: isEditable } = await people.untilAsked(task);
    const command = String(tool?.input.command).replace(/-edit\b/, '-other');
    await people.decide(task, 'allow', isEditable ? { tool_input: { ...tool?.input, command } } : {});
    expect(await people.end(task)).toMatchObject({ status: 'completed' });
    expect(isEditable).toBe(agent.name === 'claude-code');
    expect(people.ran(task)).toBe(isEditable ? 0 : 1);
  });

  test('asks no more for what a person always allows', async () => {
    const task = await create('always');
    await people.decide(task, 'allow_always');
    expect(await people.end(task)).toMatchObject(TOOL_RAN);
    expect(await people.requestsOf(task)).toHaveLength(1);
    expect(people.ran(task)).toBe(agent.name === 'gemini' ? 1 : 2);
  });

  test('goes on after its worker was started again', async () => {
    const task = await create('restarted');
    await people.untilAsked(task);
    await workers.one?.stop();
    start('one');
    await people.decide(task, 'allow');
    expect(await people.end(task)).toMatchObject(TOOL_RAN);
    expect(people.ran(task)).toBe(1);
    expect(await people.api.readAttempts(task)).toMatchObject([{ outcome: 'suspended' }, { outcome: 'completed' }]);
  });

  test('goes on after its worker was killed, and its lease has expired', async () => {
    const task = await create('killed');
    await people.untilAsked(task);
    await workers.one?.kill();
    const hasEnded = async () => (await people.api.readAttempts(task)).at(-1)?.ended_at != null;
    await until(hasEnded, { message: 'the lease has expired' });
    await people.decide(task, 'allow');
    start('one');
    expect(await people.end(task)).toMatchObject(TOOL_RAN);
    expect(people.ran(task)).toBe(1);
  });

  const elsewhere = agent.isBound ? test.skip : test;
  elsewhere(
    'goes on at another worker, in another home',
    async () => {
      const task = await create('elsewhere');
      await people.untilAsked(task);
      await workers.one?.stop();
      start('two');
      await people.decide(task, 'allow');
      expect(await people.end(task)).toMatchObject(TOOL_RAN);
      expect(people.ran(task)).toBe(1);
      expect(await people.requestsOf(task)).toHaveLength(1);
    },
    ELSEWHERE_MS,
  );

  elsewhere(
    'has the answer to its question at another worker',
    async () => {
      const task = await create('question-elsewhere');
      await people.untilAsked(task);
      await workers.two?.stop();
      start('three');
      await people.choose(task);
      expect(await people.end(task)).toMatchObject(SQLITE_CHOSEN);
    },
    ELSEWHERE_MS,
  );
}

function specifyMessages(agent: ConversingAgent, program: string): void {
  let agentId = '';
  let worker: Child;

  beforeAll(async () => {
    agentId = (await people.api.createAgent({ type: agent.agentType })).id;
    worker = people.startWorker(agent, program, { agentId, home: `${agent.name}-works`, permissions: 'full' });
  });
  afterAll(() => worker.stop(), 60_000);

  const create = (name: string) => people.create(agent, agentId, name);

  test('takes messages into its turn, where it can, and after it', async () => {
    const task = await create('talk');
    await people.untilRuns(task);
    await people.say(task, 'WORD-steered', 'steer');
    await people.say(task, 'WORD-queued', 'queue');
    const { result } = await people.end(task);
    expect(result).toMatchObject({ text: expect.stringContaining('WORD-steered') });
    expect(result).toMatchObject({ text: expect.stringContaining('WORD-queued') });
    expect(await people.messagesOf(task)).toMatchObject([
      { state: 'delivered', delivered_as: agent.steers ? 'steer' : 'queue' },
      { state: 'delivered', delivered_as: 'queue' },
    ]);
    expect(people.ran(task)).toBe(1);
  });

  test.each([
    ['by an interruption, which asks what now', 'stop'],
    ['by a message in its place', 'stop-instead'],
  ])('stops in the middle of a command, and goes on: %s', async (_, name) => {
    const task = await create(name);
    await people.untilRuns(task);
    if (name === 'stop') {
      expect((await people.api.call('PUT', `${pathOf(task)}/interruption`)).status).toBe(202);
      const request = await people.untilAsked(task, ({ key }) => key.startsWith('interruption'));
      await people.answer(task, request, { option_ids: ['continue'], text: 'Leave it' });
    } else await people.say(task, 'Leave it', 'interrupt');
    expect(await people.end(task)).toMatchObject(completedWith('As you say.'));
    const isOver = () => !attemptProcesses().some(({ env }) => env.FLEET_TASK_ID === task.id);
    await until(isOver, { message: 'no process lives on' });
  });
}

function completedWith(text: string) {
  return { error: null, status: 'completed', result: { text } };
}
