import { withNeeds } from '../database/places.ts';
import { TASK_STATUSES as STATUSES } from '../database/records.ts';
import { liveTasks, TAGS } from './draw.ts';
import {
  isBehind,
  isEnded,
  isReady,
  type ModelAgent,
  type ModelCost,
  type ModelTask,
  needsOf,
  tagsOf,
} from './entities.ts';
import { difference, differenceOf, observe } from './observe.ts';
import type { Replicas } from './replicas.ts';
import type { World } from './world.ts';

/** The sets of needs that a task may have. */
const QUEUED_NEEDS = [[], ['=eu'], ['=gpu'], ['=eu', '=gpu']].flatMap((labels) =>
  [[], ['definitions']].flatMap((defined) =>
    [[], ['input'], ['messages'], ['input', 'messages']].map((talk) => [...labels, ...defined, ...talk].join('+')),
  ),
);

/** Compares what is served and queued with the model. @throws Error with the first difference */
export async function verify(world: World, replicas: Replicas): Promise<void> {
  const { model, known } = world;
  for (const path of known.types.flatMap((type) => [
    `/agents?type=${type}&paused=true`,
    `/agents?type=${type}&paused=false`,
  ])) {
    const problem = await pausedProblem(replicas, model.agents, path);
    if (problem) throw new Error(problem);
  }
  for (const agent of model.agents) {
    const wrong =
      differenceOf(await observe(replicas, agent.id), agent) ??
      (agent.deleted ? undefined : await listsProblem(replicas, agent)) ??
      (await queueProblem(replicas, agent, world.raced)) ??
      (await timersProblem(replicas, agent));
    if (wrong) throw new Error(`Agent ${agent.id}: ${wrong}`);
  }
}

/** Leases all ready tasks. @throws Error when a task or an agent still waits to be leased */
export async function verifyDrained(world: World, { redis, keys }: Replicas): Promise<void> {
  await world.drain();
  const stuck = liveTasks(world.model).find(({ task }) => /pending|input_required/.test(task.status) && !task.waits);
  if (stuck) throw new Error(`A task is stuck: ${JSON.stringify(stuck)}`);
  const queues = [
    ...world.model.agents.map(({ id }) => keys.queue(id)),
    ...world.known.types.map((type) => keys.ready(type)),
  ].flatMap((key) => QUEUED_NEEDS.map((needs) => withNeeds(key, needs)));
  for (const queue of queues) {
    const problem = difference(queue, await redis.zrange(queue, 0, '-1'), []);
    if (problem) throw new Error(problem);
  }
}

/** Compares a list of paused agents, or of the others. */
async function pausedProblem({ send }: Replicas, agents: ModelAgent[], path: string): Promise<string | undefined> {
  const { body, total } = await send<{ id: string }[]>(0, { method: 'GET', path });
  const expected = agents
    .filter(({ deleted, type, paused }) => !deleted && path === `/agents?type=${type}&paused=${paused !== undefined}`)
    .map(({ id }) => id);
  return difference(path, [total, ...body.map(({ id }) => id)], [expected.length, ...expected.toSorted()]);
}

/** Compares a list, a search and the attempts of the task with most leases. */
async function listsProblem({ send }: Replicas, agent: ModelAgent): Promise<string | undefined> {
  const get = (path: string) => send<Record<string, unknown>[]>(1, { method: 'GET', path });
  const status = STATUSES[agent.events.length % STATUSES.length] as string;
  const worker = agent.tasks.find((task) => task.worker)?.worker ?? 'drain';
  const tag = TAGS[agent.events.length % TAGS.length] as string;
  for (const [path, fits] of [
    [`/agents/${agent.id}/tasks?status=${status}&limit=1000`, (task: ModelTask) => task.status === status],
    [
      `/agents/${agent.id}/tasks?status=${status},${STATUSES[0]},nope`,
      (task: ModelTask) => [status, STATUSES[0]].includes(task.status),
    ],
    [`/tasks?worker_id=${worker}&agent_id=${agent.id}`, (task: ModelTask) => task.worker === worker],
    [`/tasks?agent_id=${agent.id}&tag=${encodeURIComponent(tag)}`, (task: ModelTask) => tagsOf(task)?.includes(tag)],
  ] as const) {
    const { body, total } = await get(path);
    const ids = agent.tasks.filter(fits).map(({ id }) => id);
    const problem = difference(path, [total, ...body.map(({ id }) => id)], [ids.length, ...ids.toSorted()]);
    if (problem) return problem;
  }
  const spend = await send<{ total: { attempts: number; cost: ModelCost } }>(0, {
    method: 'GET',
    path: `/stats/spend?agent_id=${agent.id}`,
  });
  const { attempts, cost: all } = spend.body.total;
  const wrong = difference('what was spent', { attempts, amount: all.amount }, agent.spent);
  if (wrong) return wrong;
  const [task] = agent.tasks.toSorted((one, other) => other.leases - one.leases);
  if (!task?.leases) return undefined;
  const isAll = agent.events.length % 2 === 0;
  const { body } = await get(`/agents/${agent.id}/tasks/${task.id}/attempts?all=${isAll}`);
  const ended = task.attempts.filter((_, at) => isAll || !task.uncounted.includes(at));
  const { cost = null } = task.lease ?? {};
  const running = { number: task.attempt, worker_id: task.worker, outcome: 'running', error: null, cost };
  return difference(
    `attempts of ${task.id}`,
    body.map(({ started_at, ended_at, usage, model, ...attempt }) => attempt),
    task.lease ? [...ended, running] : ended,
  );
}

/** The queue has the ready tasks by priority, and those of one priority by arrival. */
async function queueProblem({ redis, keys }: Replicas, agent: ModelAgent, raced: boolean): Promise<string | undefined> {
  for (const needs of QUEUED_NEEDS) {
    const isQueued = (task: ModelTask) => isReady(task) && !task.reserved && !isBehind(agent, task);
    const ready = agent.tasks.filter((task) => isQueued(task) && needsOf(task).join('+') === needs);
    const found = await redis.zrange(withNeeds(keys.queue(agent.id), needs), 0, '-1');
    const problem = orderProblem(ready, found, raced);
    if (problem) return problem;
  }
  return undefined;
}

function orderProblem(ready: ModelTask[], found: string[], raced: boolean): string | undefined {
  const expected = ready
    .toSorted((one, other) => one.given.priority - other.given.priority || one.order - other.order)
    .map((task) => task.id);
  // The model has no order of tasks that arrive concurrently.
  return raced
    ? difference('ready tasks', found.toSorted(), expected.toSorted())
    : difference('ready tasks', found, expected);
}

/** A timer is not later than the deadlines that the model gives. */
async function timersProblem({ redis, keys }: Replicas, { tasks }: ModelAgent): Promise<string | undefined> {
  if (tasks.length === 0) return undefined;
  const scores = await redis.zmscore(keys.timers, ...tasks.map(({ id }) => id));
  for (const [at, task] of tasks.entries()) {
    const seconds = (Number(scores[at]) - Date.now()) / 1_000;
    const most = mostSeconds(task);
    if (seconds > most) return `the timer of ${task.id}, ${task.status}, goes off in ${seconds} s`;
  }
  return undefined;
}

function mostSeconds(task: ModelTask): number {
  if (task.lease) return 601;
  if (isEnded(task)) return 604_801;
  if (task.status === 'input_required') return 86_401;
  if (task.parked && task.waits) return 604_801;
  if (task.waits) return 14_401;
  return task.talk.requests.length > 0 ? Number.POSITIVE_INFINITY : 100_801;
}
