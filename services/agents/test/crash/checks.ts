import type { Redis } from 'ioredis';
import { toFields } from '../../src/events/stream-entry.ts';
import type { Keys } from '../../src/keys.ts';
import { TASK_STATUSES } from '../../src/tasks/task.ts';
import type { Client } from './client.ts';
import { ENDED, type Task } from './load.ts';

const PAGE = 1_000;

const NEXT: Record<string, readonly string[]> = {
  '': ['pending'],
  pending: ['pending', 'running', 'cancelled', 'failed'],
  running: ['running', 'pending', 'completed', 'failed', 'cancelled'],
};

export async function readAll(client: Client, path: string): Promise<Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const { body, total } = await client.ask<Task[]>({
      method: 'GET',
      path: `${path}skip=${tasks.length}&limit=${PAGE}`,
    });
    tasks.push(...body);
    if (body.length === 0 || tasks.length >= total) return tasks;
  }
}

/** Reads the total of a list for each status, in the order of `TASK_STATUSES`. */
export async function readTotals(client: Client, path: string): Promise<number[]> {
  const responses = TASK_STATUSES.map((status) =>
    client.ask({ method: 'GET', path: `${path}status=${status}&limit=1` }),
  );
  return (await Promise.all(responses)).map(({ total }) => total);
}

export function countByStatus(tasks: readonly Task[]): number[] {
  return TASK_STATUSES.map((status) => tasks.filter((task) => task.status === status).length);
}

export const isEnded = ({ status }: Task) => ENDED.has(status);

/** Describes up to five unended tasks per status by their keys in Redis, as the services may be stuck. */
export async function describeUnended(redis: Redis, keys: Keys): Promise<object> {
  const indexes = ['pending', 'running'].map((status) => keys.fleetTasks({ status }));
  const members = (await Promise.all(indexes.map((index) => redis.zrange(index, 0, '4')))).flat();
  const describe = async (member: string) => {
    const [taskId, agentId] = member.split(' ') as [string, string];
    const queue = `${keys.queuePrefix(agentId)}:queue`;
    const type = (await redis.hget(keys.agentIndexEntries, agentId))?.split(' ').at(-1);
    return {
      task: await redis.get(keys.task(agentId, taskId)),
      state: await redis.get(keys.taskState(agentId, taskId)),
      timer: await redis.zscore(keys.timers, `${agentId} ${taskId}`),
      waiting: await redis.zscore(`${queue}:prioritized`, taskId),
      delayed: await redis.zscore(`${queue}:delayed`, taskId),
      taken: await redis.lrange(`${queue}:active`, 0, 9),
      roundRobin: await redis.zscore(`${keys.ready}:${type}`, agentId),
      lastWakeup: await redis.hget(keys.lastWakeups, agentId),
    };
  };
  return {
    now: Date.now(),
    tasks: await Promise.all(members.map(describe)),
    outbox: await redis.zrange(keys.outbox, 0, '99', 'WITHSCORES'),
    sweepDue: await redis.zrange(`${keys.queues}:sweep:delayed`, 0, '9', 'WITHSCORES'),
  };
}

/** Finds missing or repeated events of an agent, and transitions of a task that are not allowed. */
export async function findHistoryProblems(redis: Redis, keys: Keys): Promise<string[]> {
  const problems: string[] = [];
  const numbers = new Map<string, number>();
  const statuses = new Map<string, string>();
  for (const [id, fields] of await redis.xrange(keys.fleetEvents, '-', '+')) {
    const of = toFields(fields);
    const last = numbers.get(of.a as string) ?? 0;
    if (Number(of.n) !== last + 1) problems.push(`event ${id}: ${of.n} of agent ${of.a} follows ${last}`);
    numbers.set(of.a as string, Number(of.n));
    if (!of.t) continue;
    const before = statuses.get(of.t) ?? '';
    if (!NEXT[before]?.includes(of.s as string)) problems.push(`event ${id}: ${of.t} goes from ${before} to ${of.s}`);
    statuses.set(of.t, of.s as string);
  }
  return problems;
}
