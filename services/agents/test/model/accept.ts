import { isDeepStrictEqual } from 'node:util';
import {
  freeSlots,
  goesBefore,
  isBehind,
  isReady,
  isReadyFor,
  type Model,
  type ModelAgent,
  type ModelTask,
  mayTake,
  needsOf,
  type Taker,
  type TaskRef,
} from './entities.ts';
import * as rules from './model.ts';
import { recordView, taskView } from './observe.ts';
import {
  type Accept,
  type LeaseBody,
  type LeaseRef,
  type Match,
  type Occasion,
  Refused,
  type Reply,
} from './operation.ts';

type OfAgent = (agent: ModelAgent, reply: Reply, occasion: Occasion, model: Model) => void;
type OfTask = (agent: ModelAgent, task: ModelTask, reply: Reply, occasion: Occasion) => void;

export function ofAgent(agentId: string, accept: OfAgent): Accept {
  return (model, reply, occasion) => {
    const agent = model.agents.find(({ id }) => id === agentId);
    if (!agent) throw new Error(`No agent ${agentId}`);
    if (agent.deleted) expectStatus(reply, 404);
    else accept(agent, reply, occasion, model);
  };
}

export function ofTask({ agentId, taskId }: TaskRef, match: Match | undefined, accept: OfTask): Accept {
  return ofAgent(agentId, (agent, reply, occasion) => {
    const task = agent.tasks.find(({ id }) => id === taskId);
    if (!task) expectStatus(reply, 404);
    else if (match && match.version !== task.version) expectStatus(reply, 412);
    else accept(agent, task, reply, occasion);
  });
}

export function ofLease(held: LeaseRef, accept: OfTask): Accept {
  return ofTask(held, undefined, (agent, task, reply, occasion) => {
    const { lease: current } = task;
    const isHeld = current?.number === held.number && current.token === held.token && current.overdue === null;
    if (isHeld) accept(agent, task, reply, occasion);
    else expectError(reply, 409, 'lease_lost');
  });
}

/** The same report of the end of a lease again gets the response of the first. */
export function ofReport({ agentId, taskId, number, token }: LeaseRef, report: string, acceptFirst: Accept): Accept {
  return (model, reply, occasion) => {
    const agent = model.agents.find(({ id }) => id === agentId);
    const task = agent?.tasks.find(({ id }) => id === taskId);
    const isRepeated = isDeepStrictEqual(task?.reported, { number, token, report });
    if (!agent || !task || !isRepeated) return acceptFirst(model, reply, occasion);
    expectStatus(reply, 200);
    expectTask(reply.body, agent, task);
  };
}

/** An agent whose type changes concurrently may still be found under the previous one. */
export function isOfTypes({ type, earlierTypes }: ModelAgent, types: string[], { alone }: Occasion): boolean {
  return types.includes(type) || (!alone && earlierTypes.some((one) => types.includes(one)));
}

export function acceptLease(agents: ModelAgent[], taker: Taker, given: LeaseBody, alone: boolean): void {
  const { worker } = taker;
  const agent = agents.find(({ id }) => id === given.task.agent_id);
  const task = agent?.tasks.find(({ id }) => id === given.task.id);
  if (!agent || !task) throw new Refused(`a task is leased that is not there: ${given.task.id}`);
  if (agent.paused) throw new Refused(`a task of a paused agent is leased: ${given.task.id}`);
  const isExpired = task.due === 'expiry' && task.talk.requests.length === 0;
  const mayRun = !isExpired && (isReady(task) || (task.status === 'pending' && task.due === 'start'));
  if (task.reserved && task.reservedFor !== worker) throw new Refused(`a reserved task is leased: ${task.id}`);
  if (!mayRun) throw new Refused(`a task is leased that may not run: ${JSON.stringify(task)}`);
  if (!mayTake(task, taker)) throw new Refused(`a task is leased that needs more: ${JSON.stringify(task)}`);
  if (freeSlots(agent) === 0) throw new Refused(`more tasks are leased than may run: ${task.id}`);
  if (isBehind(agent, task)) throw new Refused(`another task with this concurrency key goes before: ${task.id}`);
  if (alone) expectFirst(agents, agent, task, taker);
  expectResume(given.resume, task);
  rules.begin(agent, task, taker, given.token);
  expectSame('lease id', given.id, `${agent.id}.${task.id}.${task.leases}`);
  expectSame('attempt', given.attempt, task.attempt);
  expectTask(given.task, agent, task);
}

/** Reserved tasks, then the others of the agent; by priority, then first in, first out. */
function expectFirst(agents: ModelAgent[], agent: ModelAgent, task: ModelTask, taker: Taker): void {
  // The reserved tasks of a worker wait in a queue for each set of needs.
  const needSame = (other: ModelTask) => isDeepStrictEqual(needsOf(other), needsOf(task));
  const readyOf = (one: ModelAgent, reserved: boolean) =>
    freeSlots(one) === 0
      ? []
      : one.tasks.filter((other) => other.reserved === reserved && isReadyFor(other, taker) && !isBehind(one, other));
  const reserved = agents.flatMap((one) => readyOf(one, true));
  const before =
    (task.reserved ? undefined : reserved[0]) ??
    readyOf(agent, task.reserved).find((other) => goesBefore(other, task) && (!task.reserved || needSame(other)));
  if (before) throw new Refused(`${task.id} was leased before ${before.id}`);
}

export function expectTask(record: Record<string, unknown>, agent: ModelAgent, task: ModelTask): void {
  expectSame('task', recordView(record), taskView(agent, task));
}

export function expectStatus({ status, body }: Reply, expected: number): void {
  if (status !== expected) throw new Refused(`the status is ${status} ${JSON.stringify(body)}, not ${expected}`);
}

export function expectError(reply: Reply, status: number, error: string): void {
  expectStatus(reply, status);
  expectSame('error', reply.body.error, error);
}

export function expectSame(what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Refused(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}

/** The answers that an attempt begins with. */
function expectResume(resume: LeaseBody['resume'], { talk }: ModelTask): void {
  expectSame(
    'answers',
    resume?.answers.map(({ key }) => key),
    talk.suspended?.answers,
  );
}
