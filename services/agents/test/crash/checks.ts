import type { Redis } from 'ioredis';
import type { Keys } from '../../src/keys.ts';
import type { Client } from './client.ts';
import { ENDED, type Task } from './load.ts';

const PAGE = 1_000;
const STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'];

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

/** How many tasks a list says that there are, by status, in the order of `STATUSES`. */
export async function readTotals(client: Client, path: string): Promise<number[]> {
  const answers = STATUSES.map((status) => client.ask({ method: 'GET', path: `${path}status=${status}&limit=1` }));
  return (await Promise.all(answers)).map(({ total }) => total);
}

export function countByStatus(tasks: readonly Task[]): number[] {
  return STATUSES.map((status) => tasks.filter((task) => task.status === status).length);
}

export const isEnded = ({ status }: Task) => ENDED.has(status);

/** Tasks that have not ended, five at most, with all that should bring them on. */
export async function describeUnended(client: Client, redis: Redis, keys: Keys): Promise<object[]> {
  const pages = ['pending', 'running'].map((status) => `/tasks?status=${status}&limit=5`);
  const answers = await Promise.all(pages.map((path) => client.ask<Task[]>({ method: 'GET', path })));
  const unended = answers.flatMap(({ body }) => body).slice(0, 5);
  return Promise.all(
    unended.map(async (task) => {
      const queue = `${keys.queuePrefix(task.agent_id)}:queue`;
      const type = (await redis.hget(keys.agentPlaces, task.agent_id))?.split(' ').at(-1);
      const outbox = await redis.zrange(keys.outbox, 0, '99', 'WITHSCORES');
      return {
        task: JSON.parse((await redis.get(keys.task(task.agent_id, task.id))) ?? 'null'),
        state: await redis.get(keys.taskState(task.agent_id, task.id)),
        place: await redis.hget(keys.taskPlaces, task.id),
        timer: await redis.zscore(keys.timers, `${task.agent_id} ${task.id}`),
        waiting: await redis.zscore(`${queue}:prioritized`, task.id),
        delayed: await redis.zscore(`${queue}:delayed`, task.id),
        taken: await redis.lrange(`${queue}:active`, 0, 9),
        inLine: await redis.zscore(`${keys.ready}:${type}`, task.agent_id),
        lastRing: await redis.hget(keys.rings, task.agent_id),
        outbox,
        sweepDue: await redis.zrange(`${keys.queues}:sweep:delayed`, 0, '9', 'WITHSCORES'),
        now: Date.now(),
      };
    }),
  );
}

/** What is wrong with the fleet's story: events of an agent missing or twice, a step that may not be, more than one end. */
export async function findStoryProblems(redis: Redis, keys: Keys): Promise<string[]> {
  const problems: string[] = [];
  const numbers = new Map<string, number>();
  const statuses = new Map<string, string>();
  for (const [id, fields] of await redis.xrange(keys.fleetEvents, '-', '+')) {
    const of = Object.fromEntries(fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1]]] : [])));
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
