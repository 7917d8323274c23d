import { isDeepStrictEqual } from 'node:util';
import type { Model, ModelAgent, ModelTask } from './model.ts';
import * as rules from './model.ts';
import type { Answer, AnsweredLease, Operation } from './operations.ts';

/** The circumstances of an operation. */
export interface Occasion {
  step: number;
  /** Whether no other operation runs concurrently: a lease request then takes all ready tasks in order. */
  alone: boolean;
}

/** A response that the model does not allow. */
export class Refused extends Error {}

/** Applies an operation to the model according to its response. @throws Refused when the model does not allow it */
export function accept(model: Model, operation: Operation, answer: Answer, occasion: Occasion): void {
  if (operation.kind === 'leaseTypes') {
    const agents = model.agents.filter((agent) => !agent.deleted && isOfTypes(agent, operation.types, occasion));
    acceptLeases(agents, operation, answer, occasion);
    return;
  }
  const agent = model.agents.find(({ id }) => id === operation.agentId);
  if (!agent) throw new Error(`No agent ${operation.agentId}`);
  if (operation.kind === 'pass') {
    const task = agent.tasks.find(({ id }) => id === operation.taskId);
    if (task) rules.applyDeadline(agent, task, occasion.step);
    return;
  }
  const isKept = operation.kind === 'create' && operation.key !== undefined && operation.key in model.keyed;
  if (agent.deleted && !isKept) {
    expectStatus(answer, 404);
    return;
  }
  acceptOfAgent(model, agent, operation, answer, occasion);
}

/** An agent whose type changes concurrently may still be found under the previous one. */
function isOfTypes({ type, earlierTypes }: ModelAgent, types: string[], { alone }: Occasion): boolean {
  return types.includes(type) || (!alone && earlierTypes.some((one) => types.includes(one)));
}

function acceptOfAgent(
  model: Model,
  agent: ModelAgent,
  operation: Exclude<Operation, { kind: 'leaseTypes' | 'pass' }>,
  answer: Answer,
  occasion: Occasion,
): void {
  switch (operation.kind) {
    case 'create':
      acceptCreate(model, agent, operation, answer, occasion);
      return;
    case 'batch':
      acceptBatch(agent, operation.given, answer, occasion);
      return;
    case 'lease':
      acceptLeases([agent], operation, answer, occasion);
      return;
    case 'replaceAgent':
      expectStatus(answer, 200);
      rules.replaceAgent(agent, operation.name, operation.type);
      expectSame('agent', answer.body, { ...answer.body, ...agentView(agent) });
      return;
    case 'deleteAgent':
      expectStatus(answer, 204);
      rules.deleteAgent(agent);
      return;
    case 'replace':
    case 'delete':
    case 'cancel':
      acceptOfTask(agent, operation, answer, occasion);
      return;
    default:
      acceptOfLease(agent, operation, answer, occasion);
      return;
  }
}

function acceptCreate(
  model: Model,
  agent: ModelAgent,
  { given, key }: Extract<Operation, { kind: 'create' }>,
  answer: Answer,
  { step, alone }: Occasion,
): void {
  const known = key === undefined ? undefined : model.keyed[key];
  if (!alone && key !== undefined && answer.status === 409) {
    expectSame('error', answer.body.error, IN_PROGRESS);
    return;
  }
  expectStatus(answer, 201);
  if (known !== undefined) {
    expectSame('id of a repeated creation', answer.body.id, known);
    return;
  }
  expectTask(answer.body, agent, rules.createTask(agent, answer.body.id, given, step));
  if (key !== undefined) model.keyed[key] = answer.body.id;
}

const IN_PROGRESS = 'idempotent_request_in_progress';

function acceptBatch(
  agent: ModelAgent,
  given: (rules.GivenTask | null)[],
  answer: Answer,
  { step, alone }: Occasion,
): void {
  expectStatus(answer, 201);
  const { results } = answer.body;
  expectSame('number of results', results.length, given.length);
  for (const [at, { status, task }] of results.entries()) {
    const one = given[at];
    expectSame('status of a result', status, one ? 201 : 400);
    if (!one) continue;
    if (!task) throw new Refused('a result of a batch has no task');
    expectTask(task, agent, rules.createTask(agent, task.id, one, alone ? step + at / 1_000 : step));
  }
}

function acceptOfTask(
  agent: ModelAgent,
  operation: Extract<Operation, { kind: 'replace' | 'delete' | 'cancel' }>,
  answer: Answer,
  { step }: Occasion,
): void {
  const task = agent.tasks.find(({ id }) => id === operation.taskId);
  if (!task) {
    expectStatus(answer, 404);
    return;
  }
  if (operation.match && operation.match.version !== task.version) {
    expectStatus(answer, 412);
    return;
  }
  if (operation.kind === 'delete') {
    expectStatus(answer, 204);
    rules.deleteTask(agent, task);
    return;
  }
  if (operation.kind === 'replace') {
    if (task.status !== 'pending') {
      expectError(answer, 409, 'task_not_editable');
      return;
    }
    if (task.attempt >= operation.given.max_attempts) {
      expectError(answer, 422, 'semantic_error');
      return;
    }
    expectStatus(answer, 200);
    rules.replaceTask(agent, task, operation.given, step);
  } else {
    if (task.status === 'completed' || task.status === 'failed') {
      expectError(answer, 409, 'task_not_cancellable');
      return;
    }
    expectStatus(answer, task.status === 'running' ? 202 : 200);
    rules.requestCancel(agent, task, operation.reason);
  }
  expectTask(answer.body, agent, task);
}

function acceptOfLease(
  agent: ModelAgent,
  operation: Extract<Operation, { kind: 'heartbeat' | 'result' | 'release' }>,
  answer: Answer,
  { step }: Occasion,
): void {
  const task = agent.tasks.find(({ id }) => id === operation.taskId);
  if (!task) {
    expectStatus(answer, 404);
    return;
  }
  const { number, token } = operation;
  if (operation.kind === 'result') {
    const last = { number, token, report: JSON.stringify(operation.report) };
    if (isDeepStrictEqual(task.reported, last)) {
      expectStatus(answer, 200);
      expectTask(answer.body, agent, task);
      return;
    }
  }
  const { lease } = task;
  const isHeld = lease?.number === number && lease.token === token && lease.overdue === null;
  if (!isHeld) {
    expectError(answer, 409, 'lease_lost');
    return;
  }
  if (operation.kind === 'heartbeat') {
    expectStatus(answer, 200);
    rules.progress(agent, task, operation.progress);
    expectSame('cancel_requested', answer.body.cancel_requested, task.cancelRequest !== null);
    return;
  }
  if (operation.kind === 'release') {
    expectStatus(answer, 204);
    rules.release(agent, task, step);
    return;
  }
  expectStatus(answer, 200);
  rules.report(agent, task, token, operation.report, step);
  expectTask(answer.body, agent, task);
}

function acceptLeases(
  agents: ModelAgent[],
  { worker, max }: { worker: string; max: number },
  answer: Answer,
  { alone }: Occasion,
): void {
  const leases = answer.status === 204 ? [] : answer.body.leases;
  expectStatus(answer, leases.length === 0 ? 204 : 201);
  const ready = agents.flatMap(({ tasks }) => tasks.filter(rules.isReady)).length;
  if (alone) expectSame('number of leases', leases.length, Math.min(ready, max));
  for (const lease of leases) acceptLease(agents, worker, lease, alone);
}

function acceptLease(agents: ModelAgent[], worker: string, lease: AnsweredLease, alone: boolean): void {
  const agent = agents.find(({ id }) => id === lease.task.agent_id);
  const task = agent?.tasks.find(({ id }) => id === lease.task.id);
  if (!agent || !task) throw new Refused(`a task is leased that is not there: ${lease.task.id}`);
  const mayRun = task.due !== 'expiry' && (rules.isReady(task) || (task.status === 'pending' && task.due === 'start'));
  if (!mayRun) throw new Refused(`a task is leased that may not run: ${JSON.stringify(task)}`);
  if (alone) expectFirst(agent, task);
  rules.begin(agent, task, worker, lease.token);
  expectSame('lease id', lease.id, `${agent.id}.${task.id}.${task.leases}`);
  expectSame('attempt', lease.attempt, task.attempt);
  expectTask(lease.task, agent, task);
}

/** By priority, then first in, first out. */
function expectFirst(agent: ModelAgent, task: ModelTask): void {
  const goesBefore = (other: ModelTask) =>
    other.given.priority < task.given.priority ||
    (other.given.priority === task.given.priority && other.order < task.order);
  const before = agent.tasks.find((other) => rules.isReady(other) && goesBefore(other));
  if (before) throw new Refused(`${task.id} was leased before ${before.id}`);
}

/** The fields of a record that the model has. */
export function taskView(agent: ModelAgent, task: ModelTask): object {
  return {
    id: task.id,
    agent_id: agent.id,
    message: task.given.message,
    priority: task.given.priority,
    max_attempts: task.given.max_attempts,
    tags: task.given.tags,
    status: task.status,
    attempt: task.attempt,
    result: task.result,
    error: task.error,
    progress: task.progress,
    worker_id: task.worker,
    scheduled_at: task.given.scheduled,
    next_attempt_at: task.retries,
    cancel_requested_at: task.cancelRequest !== null && task.status !== 'pending',
    started_at: task.worker !== null,
    completed_at: rules.isEnded(task),
  };
}

export const agentView = ({ id, name, type, status }: ModelAgent) => ({ id, name, type, status });

const TIMES = ['scheduled_at', 'next_attempt_at', 'cancel_requested_at', 'started_at', 'completed_at'];

/** Reduces a record to the fields of the model; of times only whether they are set. */
export function recordView(record: Record<string, unknown>): object {
  const { input, expires_at, timeout_seconds, retry_policy, metadata, retry_of, created_at, updated_at, ...known } =
    record;
  const times = TIMES.map((name) => [name, record[name] !== null]);
  return { ...known, ...Object.fromEntries(times) };
}

function expectTask(record: Record<string, unknown>, agent: ModelAgent, task: ModelTask): void {
  expectSame('task', recordView(record), taskView(agent, task));
}

function expectStatus({ status, body }: Answer, expected: number): void {
  if (status !== expected) throw new Refused(`answered ${status} ${JSON.stringify(body)}, not ${expected}`);
}

function expectError(answer: Answer, status: number, error: string): void {
  expectStatus(answer, status);
  expectSame('error', answer.body.error, error);
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Refused(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}
