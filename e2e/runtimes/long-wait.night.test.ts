import type { Child } from '@agent-fleet/scripts/local/child-process';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Task } from '../harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { Conversations } from './conversations.ts';
import { CONVERSING, findProgram } from './conversing-agents.ts';
import { installPrograms } from './install-programs.ts';

const WAIT_SECONDS = Number(process.env.E2E_WAIT_SECONDS || 1_200);
/** They stand still. */
const LIMITS = { timeout_seconds: 240 };
const ARGS = ['--idle-seconds', '120', '--hold-seconds', '3600', '--concurrency', '2'];
const installed = CONTROLS_PROCESSES ? await installPrograms() : undefined;
const people = new Conversations();
const found = CONVERSING.map((agent) => ({ agent, ...findProgram(agent, installed) }));
const here = found.flatMap(({ agent, path }) => (path === undefined ? [] : [{ agent, path }]));

interface Waiting {
  tasks: [approval: Task, question: Task];
}
const waiting = new Map<string, PromiseSettledResult<Waiting>>();
const workers: Child[] = [];

beforeAll(
  async () => {
    if (!CONTROLS_PROCESSES) return;
    await people.open();
    // One after the other: together they would start for minutes.
    for (const each of here) {
      const [result] = await Promise.allSettled([start(each)]);
      waiting.set(each.agent.name, result);
    }
    const heldUntil = performance.now() + WAIT_SECONDS * 1_000;
    await until(() => performance.now() > heldUntil, { message: 'the time is over', timeoutMs: WAIT_SECONDS * 2_000 });
  },
  (WAIT_SECONDS + 900) * 1_000,
);

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await people.close();
}, 180_000);

async function start({ agent, path }: (typeof here)[number]): Promise<Waiting> {
  const agentId = (await people.api.createAgent({ type: agent.agentType })).id;
  const { permissions } = agent;
  workers.push(people.startWorker(agent, path, { agentId, home: agent.name, permissions, args: ARGS }));
  const tasks = [
    await people.create(agent, agentId, 'approval', LIMITS),
    await people.create(agent, agentId, 'question', LIMITS),
  ] satisfies [Task, Task];
  for (const task of tasks) await people.untilAsked(task);
  return { tasks };
}

if (!CONTROLS_PROCESSES) logOmittedTests('long waits of real programs');
else {
  for (const { agent, path, why } of found) {
    const title = `The real ${agent.name} goes on after ${WAIT_SECONDS} s with the answers of a person`;
    if (path === undefined) test.skip(`the real ${agent.name}, ${why}`, () => {});
    else test(title, () => specify(agent.name));
  }
}

async function specify(name: string): Promise<void> {
  const started = waiting.get(name);
  if (started?.status !== 'fulfilled') throw started?.reason;
  const { tasks } = started.value;
  const [approval, question] = tasks;
  for (const task of tasks) expect(await people.api.readTask(task)).toMatchObject({ status: 'input_required' });
  await people.decide(approval, 'allow');
  await people.choose(question);
  const ends = { approval: await people.end(approval), question: await people.end(question) };
  expect(ends.approval).toMatchObject({ status: 'completed', result: { text: 'The tool has run.' } });
  expect(ends.question).toMatchObject({ status: 'completed', result: { text: 'SQLite it is.' } });
  expect(people.ran(approval)).toBe(1);
  for (const task of tasks) {
    expect(await people.api.readAttempts(task)).toMatchObject([{ outcome: 'completed' }]);
    expect(await people.requestsOf(task)).toHaveLength(1);
  }
}
