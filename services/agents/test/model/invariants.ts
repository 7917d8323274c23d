import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { encodePart } from '../../src/keys.ts';
import { TASK_STATUSES as STATUSES } from '../../src/tasks/task.ts';
import type { TaskRef } from './choose.ts';
import { TAGS } from './commands.ts';
import type { FleetEvents } from './fleet-events.ts';
import { isEnded, isReady, type ModelAgent, type ModelTask } from './model.ts';
import { difference, differenceOf, observe, type Seen } from './observe.ts';
import type { Answer, AnsweredTask } from './operations.ts';
import type { Replicas } from './replicas.ts';
import type { World } from './world.ts';

/** Allowed transitions of a task by its previous status. */
const NEXT: Record<string, readonly string[]> = {
  '': ['pending'],
  pending: ['pending', 'running', 'cancelled', 'failed', 'deleted'],
  running: ['running', 'pending', 'completed', 'failed', 'cancelled', 'deleted'],
  completed: ['deleted'],
  failed: ['deleted'],
  cancelled: ['deleted'],
};

/** Checks all invariants once no request is in progress. @throws Error with the first violation */
export async function verify(world: World, replicas: Replicas, fleetEvents: FleetEvents): Promise<void> {
  await waitForOutbox(world, replicas);
  for (const agent of world.model.agents) {
    const seen = await observe(replicas, agent.id);
    const wrong =
      differenceOf(seen, agent) ??
      (seen && historyProblem(seen)) ??
      (await fleetEvents.problem(agent.id, seen?.events)) ??
      (seen && (await answersProblem(replicas, agent))) ??
      (await agentKeysProblem(replicas, agent)) ??
      (await taskKeysProblem(replicas, agent, world.known.tasks)) ??
      (await queueProblem(replicas, agent, world));
    if (wrong) throw new Error(`Agent ${agent.id}: ${wrong}`);
  }
}

/** Leases all ready tasks. @throws Error when jobs or agents with work remain */
export async function verifyDrained(world: World, replicas: Replicas): Promise<void> {
  // The sweep announces work for each repaired agent; the next lease request finds none and removes the agent.
  for (let tries = 0; ; tries++) {
    await world.drain();
    const problem = await findWork(world, replicas);
    if (!problem) return;
    if (tries === 5) throw new Error(problem);
    await sleep(100);
  }
}

async function findWork(world: World, { redis, keys }: Replicas): Promise<string | undefined> {
  const left: Record<string, string[]> = {};
  for (const { id } of world.model.agents) {
    const queue = `${keys.queuePrefix(id)}:queue`;
    left[`${id} waiting`] = await redis.zrange(`${queue}:prioritized`, 0, '-1');
    left[`${id} taken`] = await redis.lrange(`${queue}:active`, 0, -1);
    left[`${id} wakeups`] = [await redis.hget(keys.lastWakeups, id)].filter((wakeup) => wakeup !== null);
  }
  for (const type of world.known.types) left[`ready ${type}`] = await redis.zrange(`${keys.ready}:${type}`, 0, '-1');
  return Object.entries(left)
    .map(([what, found]) => difference(what, found, []))
    .find((problem) => problem);
}

/** Changes that gave way to others leave their outbox entry to the sweep. */
async function waitForOutbox(world: World, { redis, keys }: Replicas): Promise<void> {
  const ids = world.model.agents.map(({ id }) => id);
  const hasEntry = async () =>
    (await redis.zrange(keys.outbox, 0, '-1')).some((entry) => ids.some((id) => entry.startsWith(id)));
  await until(hasEntry, { holds: (has) => !has, timeoutMs: 60_000, pollMs: 50, message: 'the outbox is empty' });
}

/** Events are numbered from 1, and each task has allowed transitions only. */
function historyProblem({ events, tasks }: Seen): string | undefined {
  const statuses = new Map<string, string>();
  for (const [at, event] of events.entries()) {
    if (event.id !== String(at + 1)) return `event ${at + 1} has the id ${event.id}`;
    if (event.task_id === undefined) continue;
    const [task, status] = [event.task_id as string, event.status as string];
    const before = statuses.get(task) ?? '';
    if (!NEXT[before]?.includes(status)) return `event ${at + 1}: ${task} goes from ${before} to ${status}`;
    statuses.set(task, status);
  }
  for (const { id, status, attempt, max_attempts } of tasks) {
    if (statuses.get(id as string) !== status) return `the events leave ${id} ${statuses.get(id as string)}`;
    if ((attempt as number) > (max_attempts as number)) return `${id} has had ${attempt} attempts`;
    statuses.delete(id as string);
  }
  for (const [task, status] of statuses) if (status !== 'deleted') return `the events leave ${task} ${status}`;
  return undefined;
}

/** Compares lists, searches and the attempts of the tasks with most leases. */
async function answersProblem({ send }: Replicas, agent: ModelAgent): Promise<string | undefined> {
  const get = (path: string) => send<AnsweredTask[]>(1, { method: 'GET', path });
  const status = STATUSES[agent.events.length % STATUSES.length] as string;
  const tag = TAGS[agent.events.length % TAGS.length] as string;
  const withStatus = agent.tasks.filter((task) => task.status === status);
  const withTag = agent.tasks.filter(({ given }) => given.tags?.includes(tag));
  const [ofStatus, ofTag] = await Promise.all([
    get(`/agents/${agent.id}/tasks?status=${status}&limit=1000`),
    get(`/tasks?agent_id=${agent.id}&tag=${encodeURIComponent(tag)}`),
  ]);
  const ids = (tasks: { id: string }[]) => tasks.map(({ id }) => id).toSorted();
  return (
    difference(`tasks ${status}`, ids(ofStatus.body), ids(withStatus)) ??
    difference(`tasks with ${tag}`, ids(ofTag.body), ids(withTag)) ??
    difference('totals', [ofStatus.total, ofTag.total], [withStatus.length, withTag.length]) ??
    (await attemptsProblem(get, agent))
  );
}

async function attemptsProblem(
  get: (path: string) => Promise<Answer<Record<string, unknown>[]>>,
  agent: ModelAgent,
): Promise<string | undefined> {
  const leased = agent.tasks.toSorted((one, other) => other.leases - one.leases).slice(0, 2);
  for (const task of leased.filter(({ leases }) => leases > 0)) {
    const { body } = await get(`/agents/${agent.id}/tasks/${task.id}/attempts`);
    const found = body.map(({ started_at, ended_at, ...attempt }) => attempt);
    const running = { number: task.attempt, worker_id: task.worker, outcome: 'running', error: null };
    const expected = task.status === 'running' ? [...task.attempts, running] : task.attempts;
    const problem = difference(`attempts of ${task.id}`, found, expected);
    if (problem) return problem;
  }
  return undefined;
}

/** Compares the indexes of the agent and its index entry in the fleet. */
async function agentKeysProblem({ redis, keys }: Replicas, agent: ModelAgent): Promise<string | undefined> {
  const { id, deleted, type, status, tasks, events } = agent;
  const entry = await redis.hget(keys.agentIndexEntries, id);
  const expectedEntry = deleted ? 'removed' : `${events.length} ${status} ${type}`;
  const indexes = [undefined, ...STATUSES].map((one) => ({
    key: keys.tasks(id, one),
    ids: tasks.filter((task) => !one || task.status === one).map((task) => task.id),
  }));
  indexes.push({ key: keys.ended(id), ids: tasks.filter(isEnded).map((task) => task.id) });
  const found = await Promise.all(indexes.map(({ key }) => redis.zrange(key, 0, '-1')));
  return (
    difference('index entry', entry, expectedEntry) ??
    indexes
      .map(({ key, ids }, at) => difference(key, (found[at] as string[]).toSorted(), ids.toSorted()))
      .find((problem) => problem)
  );
}

/** Checks index entry, timer and keys of each task that ever existed. */
async function taskKeysProblem(
  { redis, keys }: Replicas,
  agent: ModelAgent,
  known: readonly TaskRef[],
): Promise<string | undefined> {
  const ids = known.filter(({ agentId }) => agentId === agent.id).map(({ taskId }) => taskId);
  if (ids.length === 0) return undefined;
  const live = new Map(agent.tasks.map((task) => [task.id, task]));
  const [entries, records, timers] = await Promise.all([
    redis.hmget(keys.taskIndexEntries, ...ids),
    redis.mget(ids.flatMap((id) => [keys.task(agent.id, id), keys.taskState(agent.id, id)])),
    redis.zmscore(keys.timers, ...ids.map((id) => `${agent.id} ${id}`)),
  ]);
  for (const [at, id] of ids.entries()) {
    const task = live.get(id);
    const problem =
      difference(`index entry of ${id}`, entries[at], task ? indexEntryOf(agent, task) : null) ??
      difference(`record of ${id}`, records[2 * at] !== null, task !== undefined) ??
      (task ? timerProblem(task, timers[at]) : difference(`timer of ${id}`, timers[at], null)) ??
      (!task && records[2 * at + 1] !== null ? `${id} has left its state` : undefined);
    if (problem) return problem;
  }
  // `keysLeft` checks at the end that nothing of deleted agents remains.
  return agent.deleted ? undefined : fleetIndexProblem({ redis, keys } as Replicas, agent, ids, live);
}

function indexEntryOf(agent: ModelAgent, task: ModelTask): string {
  return [task.status, agent.type, ...(task.given.tags ?? []).map(encodePart)].join(' ');
}

/** A timer may be early, as a heartbeat extends the lease only, but never late. */
function timerProblem(task: ModelTask, score: unknown): string | undefined {
  if (score === null || score === undefined) return `${task.id} has no timer`;
  const seconds = (Number(score) - Date.now()) / 1_000;
  const most = task.status === 'running' ? 601 : isEnded(task) ? 604_801 : task.waits ? 14_401 : 100_801;
  return seconds > most ? `the timer of ${task.id}, ${task.status}, goes off in ${seconds} s` : undefined;
}

/** Checks that each task is in exactly the indexes that match it. */
async function fleetIndexProblem(
  { redis, keys }: Replicas,
  agent: ModelAgent,
  ids: readonly string[],
  live: ReadonlyMap<string, ModelTask>,
): Promise<string | undefined> {
  const types = [undefined, agent.type, ...agent.earlierTypes];
  const tags = [undefined, ...TAGS];
  const filters: { agent?: string; type?: string; tag?: string; status?: string }[] = [
    ...[...new Set(types)].flatMap((type) => tags.map((tag) => ({ type, tag }))),
    ...TAGS.map((tag) => ({ agent: agent.id, tag })),
  ].flatMap((filter) => [undefined, ...STATUSES].map((status) => ({ ...filter, status })));
  const indexes = filters.map((filter) => keys.fleetTasks(filter));
  const toMember = (id: string) => `${id} ${agent.id}`;
  const members = [...ids, ...ids.map(toMember)];
  const found = (await redis.eval(FIND_MEMBERS, indexes.length, ...indexes, ...members)) as string[];
  const expected = filters.flatMap(({ agent: ofAgent, type, tag, status }, at) =>
    ids.flatMap((id) => {
      const task = live.get(id);
      const fits = task && (!type || type === agent.type) && (!status || status === task.status);
      return fits && (!tag || task.given.tags?.includes(tag)) ? [`${indexes[at]} ${ofAgent ? id : toMember(id)}`] : [];
    }),
  );
  return difference('members of the indexes', [...found].toSorted(), expected.toSorted());
}

/** Returns which members (ARGV) are in which sorted sets (KEYS). */
const FIND_MEMBERS = `
  local found = {}
  for _, index in ipairs(KEYS) do
    for _, member in ipairs(ARGV) do
      if redis.call('ZSCORE', index, member) then found[#found + 1] = index .. ' ' .. member end
    end
  end
  return found`;

/** Each pending task has a job. Concurrent changes may leave jobs of other tasks, which are discarded when taken. */
async function queueProblem(
  { redis, keys }: Replicas,
  agent: ModelAgent,
  { known, raced }: World,
): Promise<string | undefined> {
  const queue = `${keys.queuePrefix(agent.id)}:queue`;
  const [ready, delayed, active] = await Promise.all([
    redis.zrange(`${queue}:prioritized`, 0, '-1'),
    redis.zrange(`${queue}:delayed`, 0, '-1'),
    redis.lrange(`${queue}:active`, 0, -1),
  ]);
  const idsOf = (which: (task: ModelTask) => boolean) => agent.tasks.filter(which).map(({ id }) => id);
  const missing = [
    ...idsOf(isReady).filter((id) => !ready.includes(id)),
    ...idsOf(({ waits }) => waits).filter((id) => !delayed.includes(id)),
  ];
  const isNeeded = (id: string) => agent.tasks.some((task) => task.id === id && task.status === 'pending');
  const isKnown = (id: string) => known.tasks.some(({ taskId }) => taskId === id);
  const strange = [...ready, ...delayed].filter((id) => !(raced ? isKnown(id) : isNeeded(id)));
  return (
    difference('tasks without a job', missing, []) ??
    difference('superfluous jobs', strange, []) ??
    difference('jobs that are taken', active, []) ??
    difference('jobs of a deleted agent', agent.deleted ? [...ready, ...delayed] : [], [])
  );
}
