import type { Child } from '@agent-fleet/scripts/local/child-process';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Task } from '../harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { Conversations, ENDED } from './conversations.ts';
import { CONVERSING, type ConversingAgent, findProgram } from './conversing-agents.ts';
import { installPrograms } from './install-programs.ts';
import { attemptProcesses } from './processes.ts';

const STEPS = ['asked', 'answered', 'running'] as const;
const VICTIMS = ['worker', 'runtime', 'gateway', 'agents', 'redis'] as const;
/** One that is asked again, and one that gets its answer as a prompt. */
const AGENTS = CONVERSING.filter(({ name }) => name === 'claude-code' || name === 'opencode');
const END_MS = 120_000;

const installed = CONTROLS_PROCESSES ? await installPrograms() : undefined;
const people = new Conversations();

if (!CONTROLS_PROCESSES) logOmittedTests('kills in conversations of real programs');
for (const agent of CONTROLS_PROCESSES ? AGENTS : []) {
  const { path, why } = findProgram(agent, installed);
  if (path === undefined) test.skip(`the real ${agent.name}, ${why}`, () => {});
  else describe(`An answer to the real ${agent.name} arrives once`, () => specify(agent, path));
}

beforeAll(async () => {
  if (CONTROLS_PROCESSES) await people.open();
}, 180_000);
afterAll(() => people.close(), 180_000);

const processesOf = (task: Task) => attemptProcesses().filter(({ env }) => env.FLEET_TASK_ID === task.id);

function specify(agent: ConversingAgent, program: string): void {
  let agentId = '';
  let worker: Child;

  function start(): void {
    const { permissions } = agent;
    worker = people.startWorker(agent, program, { agentId, home: `${agent.name}-kills`, permissions });
  }

  beforeAll(async () => {
    agentId = (await people.api.createAgent({ type: agent.agentType })).id;
    start();
  });

  afterAll(() => worker.stop(), 60_000);

  async function kill(victim: (typeof VICTIMS)[number], task: Task): Promise<void> {
    const { fleet } = people.api;
    if (victim === 'worker') {
      await worker.kill();
      start();
    } else if (victim === 'runtime') {
      for (const { pid, command } of processesOf(task)) if (command.includes(program)) process.kill(pid, 'SIGKILL');
    } else if (victim === 'redis') {
      await fleet.redis?.kill();
      await fleet.redis?.restart();
      await fleet.untilReady();
    } else {
      await fleet.services[victim].kill();
      await fleet.services[victim].start();
      await fleet.untilReady();
    }
  }

  /** Up to a step: asked, answered but not delivered, and delivered so that the tool runs. */
  async function reach(step: (typeof STEPS)[number], task: Task): Promise<void> {
    await people.untilAsked(task);
    if (step === 'asked') return;
    if (step === 'answered') worker.signal('SIGSTOP');
    await people.decide(task, 'allow');
    if (step === 'running') await people.untilRuns(task);
  }

  /** Allows what is open, also what is asked anew by an attempt that has lost its session. */
  async function end(task: Task): Promise<{ task: Task; asked: number }> {
    let last = task;
    await until(
      async () => {
        last = await people.api.readTask(task);
        for (const request of await people.requestsOf(task)) {
          const allow = request.options?.find(({ role }) => role === 'allow')?.id;
          if (request.state === 'open') await people.answer(task, request, { option_ids: [allow] });
        }
        return ENDED.includes(last.status);
      },
      { message: () => `${task.message} ends; the worker printed: ${worker.printed()}`, timeoutMs: END_MS },
    );
    return { task: last, asked: (await people.requestsOf(task)).length };
  }

  test.each(STEPS.flatMap((step) => VICTIMS.map((victim) => [step, victim] as const)))(
    'when it is %s, and kill -9 ends the %s',
    async (step, victim) => {
      const task = await people.create(agent, agentId, `kill-${step}-${victim}`, { max_attempts: 4 });
      await reach(step, task);
      await kill(victim, task);
      worker.signal('SIGCONT');
      const { task: last, asked } = await end(task);
      console.info(agent.name, step, victim, last.status, { asked, ran: people.ran(task) });
      expect(last).toMatchObject({ status: 'completed', result: { text: 'The tool has run.' } });
      // What ran before the kill runs again only if a person allows it again.
      expect(people.ran(task)).toBeLessThanOrEqual(asked);
      await until(() => processesOf(task).length === 0, { message: 'no process lives on' });
    },
    2 * END_MS,
  );
}
