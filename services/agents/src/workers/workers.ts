import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { pageHeaders } from '@agent-fleet/shared/contract/paging';
import { isId } from '@agent-fleet/shared/ids';
import { type Missing, notFound } from '../contract/parameters.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import { waitsOn } from '../tasks/rules/dependencies.ts';
import { labelsIn, meets, needsOf, splitNeeds } from '../tasks/rules/needs.ts';
import { isParked } from '../tasks/rules/parking.ts';
import { earliestStart } from '../tasks/rules/task-rules.ts';
import { RESERVATION_MS, type TaskWithState, toMs, toStoredTask, toTime } from '../tasks/rules/task-state.ts';
import type { listWorkers, readWaiting, Waiting, WorkerInfo } from './contract.ts';
import { lasting, type Pause } from './pauses.ts';
import { WorkerActivity } from './worker-activity.ts';

/** A worker counts for this time after it was last seen. */
export const COUNTED_MS = 5 * 60_000;
/** It is listed for longer, as a lost one: as long as `record-activity-1.lua` keeps it. */
const LISTED_MS = 60 * 60_000;

/** Types and agents that are listed of a worker: the last ones. */
const MAX_NAMES = 100;

export function createWorkers(context: FleetContext) {
  const activity = new WorkerActivity(context);
  return { operations: { ...createList(context), ...createWaiting(context) }, activity };
}

/** The operation that lists workers. */
function createList({ redis, keys, clock }: FleetContext) {
  /** Undefined for one that was removed meanwhile. */
  async function read(id: string, now: number): Promise<WorkerInfo | undefined> {
    const [fields, seen, running, waiting] = await Promise.all([
      redis.hgetall(keys.worker(id)),
      redis.zscore(keys.workers, id),
      redis.zcard(keys.tasks({ worker: id, status: 'running' })),
      redis.zcard(keys.tasks({ worker: id, status: 'input_required' })),
    ]);
    if (fields.first === undefined || seen === null) return undefined;
    const recent = (name: string) =>
      Object.entries(fields)
        .filter(([field, at]) => field.startsWith(`${name} `) && Number(at) >= Number(seen) - COUNTED_MS)
        .sort(([, one], [, other]) => Number(other) - Number(one))
        .slice(0, MAX_NAMES)
        .map(([field]) => field.slice(name.length + 1))
        .sort();
    return {
      worker_id: id,
      types: recent('type'),
      agent_ids: recent('agent'),
      first_seen_at: toTime(Number(fields.first)),
      last_seen_at: toTime(Number(seen)),
      polling: Number(fields.polled ?? 0) >= now - POLLING_MS,
      leases: running + waiting,
      completed: Number(fields.completed ?? 0),
      failed: Number(fields.failed ?? 0),
      accepts: toWords(fields.accepts),
      labels: toWords(fields.labels),
      paused: lasting(JSON.parse(fields.pauses ?? '[]') as Pause[], now),
      client: fields.client || null,
    };
  }

  return {
    async list({ query, req }: Input<typeof listWorkers>): Promise<Reply> {
      const { skip, limit } = query;
      const now = clock.now();
      const ids = await redis.zrange(keys.workers, now - LISTED_MS, '+inf', 'BYSCORE');
      const ofPage = ids.sort().slice(skip, skip + limit);
      const workers = await Promise.all(ofPage.map((id) => read(id, now)));
      const listed = workers.filter((worker) => worker !== undefined);
      return json(listed, 200, pageHeaders(req.originalUrl, query, ids.length, ofPage.length));
    },
  };
}

const toWords = (text = '') => text.split(' ').filter(Boolean);

/** What a task may wait for. */
interface Circumstances {
  /** Since when the agent is paused; null when it is not. */
  pausedAt: string | null;
  /** How many tasks of the agent go before; null when the task is not in its queue. */
  ahead: number | null;
  /** Whether as many tasks of the agent are leased as may be. */
  isFull: boolean;
  /** Whether another task of the same concurrency key goes before. */
  isInLane: boolean;
  /** Until when in ms a budget is used up, '' for ever; null while none is. */
  reached: string | null;
  /** What workers have offered that requested tasks of the agent, or of its type, and when they last did. */
  polls: { offers: string[]; at: number }[];
}

/** The operation that tells why a task waits. */
function createWaiting(context: FleetContext) {
  const { clock } = context;
  const read = loadFleetScript(context, 'workers/read-waiting');

  return {
    async readWaiting({ params }: Input<typeof readWaiting>): Promise<Reply> {
      const { agent_id: agent, task_id: task } = params;
      if (!isId(agent) || !isId(task)) throw notFound({ outcome: isId(agent) ? 'missing' : 'agent missing' });
      const [outcome, record, stateText, pausedAt, ahead, isFull, isInLane, polled = [], reached = null] = await read({
        agent,
        task,
      });
      if (outcome !== 'found') throw notFound({ outcome } as Missing);
      const texts = polled as string[];
      const polls = Array.from({ length: texts.length / 2 }, (_, at) => ({
        ...{ offers: toWords(texts[2 * at]), at: Number(texts[2 * at + 1]) },
      }));
      const circumstances = {
        pausedAt,
        ahead,
        isFull: isFull === 1,
        isInLane: isInLane === 1,
        polls,
        reached,
      } as Circumstances;
      return json(explain(toStoredTask(record as string, stateText as string), circumstances, clock.now()));
    },
  };
}

/** Finds why a task waits. */
function explain({ task, state }: TaskWithState, circumstances: Circumstances, now: number): Waiting {
  const { pausedAt, ahead, isFull, isInLane, polls, reached } = circumstances;
  const { status, scheduled_at, next_attempt_at, updated_at } = task;
  if (status !== 'pending') return { reason: null, since: null };
  if (pausedAt !== null) return { reason: 'paused', since: pausedAt };
  const on = waitsOn(state);
  if (on.length > 0) return { reason: 'dependencies', since: toTime(state.waitsFrom ?? toMs(updated_at)), on };
  const start = earliestStart(task);
  // It joins the queue when its start has come.
  if (start > now || (ahead === null && !isInLane && !state.reservation)) {
    if (state.parked && isParked({ task, state })) {
      return { reason: state.parked.reason, since: updated_at, until: toTime(start) };
    }
    const isRetry = toMs(scheduled_at) <= now && next_attempt_at !== null;
    return { reason: isRetry ? 'retry_delay' : 'scheduled', since: updated_at };
  }
  const since = toTime(Math.max(toMs(updated_at), start));
  if (reached !== null) return { reason: 'budget', since, ...(reached && { until: toTime(Number(reached)) }) };
  if (isFull) return { reason: 'concurrency', since };
  if (isInLane) return { reason: 'concurrency', since, key: task.concurrency_key as string };
  if (ahead === null && state.reservation) {
    const { workerId: worker_id, until } = state.reservation;
    const reservedAt = Math.max(toMs(updated_at), until - RESERVATION_MS);
    return { reason: 'reserved', since: toTime(reservedAt), worker_id, until: toTime(until) };
  }
  const needs = needsOf(state);
  const polledAt = Math.max(0, ...polls.filter(({ offers }) => meets(offers, needs)).map(({ at }) => at));
  if (polledAt < now - POLLING_MS) {
    const recent = polls.filter(({ at }) => at >= now - POLLING_MS).map(({ offers }) => offers);
    return { reason: 'no_worker', since: polledAt === 0 ? null : toTime(polledAt), ...whatIsMissing(needs, recent) };
  }
  return { reason: 'in_line', since, ahead: ahead ?? 0 };
}

/** What a worker must accept, and the labels that none has, or no one has all of, among the offers of some workers. */
function whatIsMissing(needs: string, offers: readonly string[][]): Pick<Waiting, 'accepts' | 'missing_labels'> {
  const all = splitNeeds(needs);
  const labels = all.filter((need) => labelsIn([need]).length > 0);
  const accepts = all.filter((need) => !labels.includes(need));
  const unknown = labels.filter((label) => !offers.some((offered) => offered.includes(label)));
  const isMet = offers.some((offered) => labels.every((label) => offered.includes(label)));
  return {
    ...(accepts.length > 0 && { accepts }),
    ...(!isMet && labels.length > 0 && { missing_labels: labelsIn(unknown.length > 0 ? unknown : labels) }),
  };
}

/** A worker polls, as far as others are told, for this time after it has requested tasks. */
const POLLING_MS = 60_000;
