import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { numberOf, toFields } from '../../src/events/stream-entry.ts';
import { encodePart } from '../../src/keys.ts';
import { TASK_STATUSES as STATUSES } from '../../src/tasks/task.ts';
import { TAGS } from './draw.ts';
import { isEnded, type ModelAgent, type ModelTask } from './model.ts';
import { difference, differenceOf, observe } from './observe.ts';
import type { Replicas } from './replicas.ts';
import type { World } from './world.ts';

/** Checks all invariants once no request is in progress. @throws Error with the first violation */
export async function verify(world: World, replicas: Replicas): Promise<void> {
  await waitForOutbox(world, replicas);
  for (const agent of world.model.agents) {
    const seen = await observe(replicas, agent.id);
    const ids = world.known.tasks.filter(({ agentId }) => agentId === agent.id).map(({ taskId }) => taskId);
    const wrong =
      differenceOf(seen, agent) ??
      (await fleetEventsProblem(replicas, world.since, agent.id, seen?.events)) ??
      (seen && (await listsProblem(replicas, agent))) ??
      (await agentKeysProblem(replicas, agent)) ??
      (await taskKeysProblem(replicas, agent, ids));
    if (wrong) throw new Error(`Agent ${agent.id}: ${wrong}`);
  }
}

/** Leases all ready tasks. @throws Error when jobs or agents with work remain, or jobs of later tasks are missing */
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
  const left: Record<string, unknown[]> = {};
  for (const { id, tasks } of world.model.agents) {
    const queue = `${keys.queuePrefix(id)}:queue`;
    const waiting = tasks.filter(({ waits }) => waits).map((task) => task.id);
    const delayed = await redis.zrange(`${queue}:delayed`, 0, '-1');
    left[`${id} ready`] = await redis.zrange(`${queue}:prioritized`, 0, '-1');
    left[`${id} taken`] = await redis.lrange(`${queue}:active`, 0, -1);
    left[`${id} wakeups`] = [await redis.hget(keys.lastWakeups, id)].filter((wakeup) => wakeup !== null);
    left[`${id} not delayed`] = waiting.filter((task) => !delayed.includes(task));
    // Concurrent changes may leave jobs of other tasks, which are discarded when taken.
    left[`${id} delayed`] = world.raced ? [] : delayed.filter((task) => !waiting.includes(task));
  }
  for (const type of world.known.types) left[`ready ${type}`] = await redis.zrange(`${keys.ready}:${type}`, 0, '-1');
  return Object.entries(left)
    .map(([what, found]) => difference(what, found, []))
    .find((problem) => problem);
}

/** Changes that lost a compare-and-set leave their outbox entry to the sweep. */
async function waitForOutbox(world: World, { redis, keys }: Replicas): Promise<void> {
  const ids = world.model.agents.map(({ id }) => id);
  const hasEntry = async () =>
    (await redis.zrange(keys.outbox, 0, '-1')).some((entry) => ids.some((id) => entry.startsWith(id)));
  await until(hasEntry, { holds: (has) => !has, timeoutMs: 60_000, pollMs: 50, message: 'the outbox is empty' });
}

/** Compares the fleet's events of an agent since a number with its own; those of a deleted agent are undefined. */
async function fleetEventsProblem({ redis, keys }: Replicas, since: number, agentId: string, own?: object[]) {
  const entries = await redis.xrange(keys.fleetEvents, `${since}-0`, '+');
  const ofAgent = entries.map(([, fields]) => toFields(fields)).filter(({ a }) => a === agentId);
  const events = ofAgent.map(({ n, e = '' }) => ({ id: n, ...JSON.parse(e) }));
  const numbersFrom = (first: number, list: unknown[]) => list.map((_, at) => first + at);
  return (
    difference(
      "numbers of the fleet's events",
      entries.map(([id]) => numberOf(id)),
      numbersFrom(since, entries),
    ) ??
    difference(
      'numbers of its events',
      events.map(({ id }) => Number(id)),
      numbersFrom(1, events),
    ) ??
    (own ? difference("the fleet's events", events, own) : difference('the end', events.at(-1)?.type, 'agent.deleted'))
  );
}

/** Compares a list, a search and the attempts of the task with most leases. */
async function listsProblem({ send }: Replicas, agent: ModelAgent): Promise<string | undefined> {
  const get = (path: string) => send<Record<string, unknown>[]>(1, { method: 'GET', path });
  const status = STATUSES[agent.events.length % STATUSES.length] as string;
  const tag = TAGS[agent.events.length % TAGS.length] as string;
  for (const [path, fits] of [
    [`/agents/${agent.id}/tasks?status=${status}&limit=1000`, (task: ModelTask) => task.status === status],
    [`/tasks?agent_id=${agent.id}&tag=${encodeURIComponent(tag)}`, ({ given }: ModelTask) => given.tags?.includes(tag)],
  ] as const) {
    const { body, total } = await get(path);
    const ids = agent.tasks.filter(fits).map(({ id }) => id);
    const problem = difference(path, [total, ...body.map(({ id }) => id)], [ids.length, ...ids.toSorted()]);
    if (problem) return problem;
  }
  const [task] = agent.tasks.toSorted((one, other) => other.leases - one.leases);
  if (!task?.leases) return undefined;
  const { body } = await get(`/agents/${agent.id}/tasks/${task.id}/attempts`);
  const running = { number: task.attempt, worker_id: task.worker, outcome: 'running', error: null };
  return difference(
    `attempts of ${task.id}`,
    body.map(({ started_at, ended_at, ...attempt }) => attempt),
    task.status === 'running' ? [...task.attempts, running] : task.attempts,
  );
}

/** Compares the indexes of the agent and its index entry in the fleet. */
async function agentKeysProblem({ redis, keys }: Replicas, agent: ModelAgent): Promise<string | undefined> {
  const { id, deleted, type, status, tasks, events } = agent;
  const entry = await redis.hget(keys.agentIndexEntries, id);
  const indexes: [string, (task: ModelTask) => boolean][] = [
    [keys.tasks(id), () => true],
    ...STATUSES.map((one): [string, (task: ModelTask) => boolean] => [
      keys.tasks(id, one),
      (task) => task.status === one,
    ]),
    [keys.ended(id), isEnded],
  ];
  const found = await Promise.all(indexes.map(([key]) => redis.zrange(key, 0, '-1')));
  const expected = indexes.map(([, fits]) =>
    tasks
      .filter(fits)
      .map((task) => task.id)
      .toSorted(),
  );
  return (
    difference('index entry', entry, deleted ? 'removed' : `${events.length} ${status} ${type}`) ??
    difference(
      'indexes',
      found.map((ids) => ids.toSorted()),
      expected,
    )
  );
}

/** Checks index entry, timer and keys of each task that ever existed. */
async function taskKeysProblem(
  { redis, keys }: Replicas,
  agent: ModelAgent,
  ids: string[],
): Promise<string | undefined> {
  if (ids.length === 0) return undefined;
  const live = new Map(agent.tasks.map((task) => [task.id, task]));
  const [entries, records, timers] = await Promise.all([
    redis.hmget(keys.taskIndexEntries, ...ids),
    redis.mget(ids.flatMap((id) => [keys.task(agent.id, id), keys.taskState(agent.id, id)])),
    redis.zmscore(keys.timers, ...ids.map((id) => `${agent.id} ${id}`)),
  ]);
  for (const [at, id] of ids.entries()) {
    const task = live.get(id);
    const tags = (task?.given.tags ?? []).map(encodePart);
    const problem =
      difference(`index entry of ${id}`, entries[at], task ? [task.status, agent.type, ...tags].join(' ') : null) ??
      difference(`record of ${id}`, records[2 * at] !== null, task !== undefined) ??
      (task ? timerProblem(task, timers[at]) : difference(`timer of ${id}`, timers[at], null)) ??
      (!task && records[2 * at + 1] !== null ? `${id} has left its state` : undefined);
    if (problem) return problem;
  }
  // `keysLeft` checks at the end that nothing of deleted agents remains.
  return agent.deleted ? undefined : fleetIndexProblem({ redis, keys }, agent, ids, live);
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
  { redis, keys }: Pick<Replicas, 'redis' | 'keys'>,
  agent: ModelAgent,
  ids: readonly string[],
  live: ReadonlyMap<string, ModelTask>,
): Promise<string | undefined> {
  const types = new Set([undefined, agent.type, ...agent.earlierTypes]);
  const filters: { agent?: string; type?: string; tag?: string; status?: string }[] = [
    ...[...types].flatMap((type) => [undefined, ...TAGS].map((tag) => ({ type, tag }))),
    ...TAGS.map((tag) => ({ agent: agent.id, tag })),
  ].flatMap((filter) => [undefined, ...STATUSES].map((status) => ({ ...filter, status })));
  const indexes = filters.map((filter) => keys.fleetTasks(filter));
  const toMember = (id: string) => `${id} ${agent.id}`;
  const found = (await redis.eval(FIND_MEMBERS, indexes.length, ...indexes, ...ids, ...ids.map(toMember))) as string[];
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
