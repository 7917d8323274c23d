import type { Command } from '../lock.ts';
import type { OldEvent } from './fleet-events.ts';
import type { Context } from './keys.ts';

const TASKS_PER_STEP = 50;
/** BullMQ's scores are `priority * SCORE + number of arrival`. */
const OLD_SCORE = 2 ** 32;
const NEW_SCORE = 1e14;

/** What the tasks of an agent need of it. */
export interface AgentOfTasks {
  id: string;
  type: string;
  /** Number of the event before the first one that is kept. */
  beforeKept: number;
  /** Task id → number of its last event. */
  lastEvents: Map<string, number>;
  /** Events that came after 1.0 set the timers. */
  missing: readonly OldEvent[];
}

/** The fields of a task's record that its index entries, timer and queue need. */
interface Task {
  status: string;
  priority: number;
  tags: string[] | null;
  scheduled_at: string | null;
  next_attempt_at: string | null;
  expires_at: string;
  completed_at: string | null;
}

/** A task in 1.0. */
interface OldTask {
  id: string;
  record: string;
  /** `''` for a task that has never changed. */
  state: string;
  attempts: string[];
  /** The score of its job, if that is ready. */
  score: string | null;
  /** Its timer in ms. */
  timer: string | null;
}

/** The result moves the tasks of an agent, and returns a number that is higher than all arrivals. */
export function createMoveTasks({ redis, old, keys, write }: Context) {
  async function read(agentId: string, id: string): Promise<OldTask[]> {
    const [record, state, attempts, score, timer] = await Promise.all([
      redis.get(old.task(agentId, id)),
      redis.get(old.state(agentId, id)),
      redis.lrange(old.attempts(agentId, id), 0, -1),
      redis.zscore(old.readyJobs(agentId), id),
      redis.zscore(old.fleet('timers'), `${agentId} ${id}`),
    ]);
    return record === null ? [] : [{ id, record, state: state ?? '', attempts, score, timer }];
  }

  function toCommands(agent: AgentOfTasks, stored: OldTask, now: number): Command[] {
    const { id, record, state, attempts } = stored;
    const task = JSON.parse(record) as Task;
    const { status, priority } = task;
    const tags = [...new Set(task.tags ?? [])];
    const arrival = status === 'pending' ? toArrival(task, stored.score, now) : undefined;
    const attemptsKey = keys.of('attempts', id);
    return [
      ['SET', keys.of(`task:${id}`), record],
      ['SET', keys.of(`state:${id}`), `${agent.lastEvents.get(id) ?? agent.beforeKept} ${state}`],
      ['DEL', attemptsKey],
      ...(attempts.length > 0 ? [['RPUSH', attemptsKey, ...attempts]] : []),
      ...keys.taskIndexes(agent.id, agent.type, tags, status).map((index) => ['ZADD', index, 0, id]),
      ['ZADD', keys.of('timers'), toDeadline(agent, stored, task, now), id],
      ...(task.completed_at ? [['ZADD', keys.of('ended', agent.id), Date.parse(task.completed_at), id]] : []),
      ...(arrival !== undefined ? [['ZADD', keys.of('queue', agent.id), priority * NEW_SCORE + arrival, id]] : []),
    ];
  }

  return async (agent: AgentOfTasks): Promise<number> => {
    const [seconds] = await redis.time();
    const now = Number(seconds) * 1_000;
    for (;;) {
      const ids = await redis.zrange(old.tasks(agent.id), 0, `${TASKS_PER_STEP - 1}`);
      if (ids.length === 0) return OLD_SCORE + now;
      const tasks = (await Promise.all(ids.map((id) => read(agent.id, id)))).flat();
      await write(tasks.flatMap((task) => toCommands(agent, task, now)));
      await redis.unlink(
        ids.flatMap((id) => [old.task, old.state, old.attempts, old.job].map((key) => key(agent.id, id))),
      );
      await redis.zrem(old.tasks(agent.id), ...ids);
    }
  };
}

/**
 * The arrival number of a pending task; undefined before its start. Those without a ready job come last, by their
 * start: 1.0 had not noticed it, or a process crashed before it added the job.
 */
function toArrival(task: Task, score: string | null, now: number): number | undefined {
  const start = toStart(task);
  if (start > now) return undefined;
  return score === null ? OLD_SCORE + start : Number(score) % OLD_SCORE;
}

function toStart(task: Task): number {
  return Math.max(Date.parse(task.scheduled_at ?? '') || 0, Date.parse(task.next_attempt_at ?? '') || 0);
}

/** The next deadline: the end of the lease, a start or expiry, or the end of the retention. */
function toDeadline({ missing }: AgentOfTasks, { id, state, timer }: OldTask, task: Task, now: number): number {
  if (task.status === 'running') return JSON.parse(state).lease.expiresAt;
  const start = toStart(task);
  const expiry = Date.parse(task.expires_at);
  if (task.status === 'pending') return start > now ? Math.min(start, expiry) : expiry;
  return missing.findLast(({ taskId }) => taskId === id)?.due ?? Number(timer ?? now);
}
