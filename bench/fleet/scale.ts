import { Redis } from 'ioredis';
import { median } from '../load/rounds.ts';
import { openStage, type Stage } from '../stage/stage.ts';
import { type Client, repeat } from './client.ts';
import { createAgents, createTasks, TAGS } from './fill.ts';
import { startFleet } from './fleet.ts';

const TASKS_PER_AGENT = 10;
const ROUNDS = 9;
const WIDTH = 16;
const LIMIT = 20;

/** A fleet with `tasks` pending tasks, ten per agent; half of the agents have tagged tasks. */
interface Filled {
  tasks: number;
  agentIds: string[];
  client: Client;
  bytesPerTask: BytesPerTask;
  /** Processor time of the agents process and Redis so far. */
  processorSeconds(): Promise<number>;
  close(): Promise<void>;
}

/** Memory of Redis for a pending task with its queue entry, events and index entries. */
interface BytesPerTask {
  untagged: number;
  tagged: number;
}

export interface ScaleResults {
  /** Numbers of tasks. */
  small: number;
  large: number;
  bytesPerTask: { small: BytesPerTask; large: BytesPerTask };
  /** Processor time of the agents process and Redis per operation, in µs. */
  costs: Map<string, { small: number; large: number }>;
}

/**
 * Does an operation cost the same with few and with many tasks? Measured as processor time of the agents process and
 * Redis, which other processes of the machine affect less than elapsed time.
 */
export async function measureScale(
  signal: AbortSignal,
  flags: string[],
  sizes: { small: number; large: number },
): Promise<ScaleResults> {
  const opened: Filled[] = [];
  try {
    const small = await fill(signal, flags, sizes.small);
    opened.push(small);
    const large = await fill(signal, flags, sizes.large);
    opened.push(large);
    const costs = new Map<string, { small: number; large: number }>();
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      const samples: { small: number[]; large: number[] } = { small: [], large: [] };
      for (let round = 0; round <= ROUNDS; round++) {
        const microseconds = { small: await measure(small, operation), large: await measure(large, operation) };
        if (round === 0) continue;
        samples.small.push(microseconds.small);
        samples.large.push(microseconds.large);
      }
      const cost = { small: median(samples.small), large: median(samples.large) };
      costs.set(name, cost);
      console.log(`  ${name}: ${cost.small.toFixed(0)} µs, ${cost.large.toFixed(0)} µs`);
    }
    return { ...sizes, bytesPerTask: { small: small.bytesPerTask, large: large.bytesPerTask }, costs };
  } finally {
    for (const each of opened) await each.close();
  }
}

interface Operation {
  /** Operations per round. */
  count: number;
  run(filled: Filled, at: number): Promise<unknown>;
  /** Creates as many tasks as the round completed. */
  restore?(filled: Filled): Promise<void>;
}

/** Reads pages from the middle of a list. */
const OPERATIONS: Record<string, Operation> = {
  'count: `GET /tasks?status=pending&limit=1`': read(() => '/tasks?status=pending&limit=1'),
  "list: an agent's tasks": read(
    ({ agentIds }, at) => `/agents/${agentIds[at % agentIds.length]}/tasks?limit=${LIMIT}`,
  ),
  'list: agents': read(({ agentIds }) => `/agents?limit=${LIMIT}&skip=${agentIds.length / 2}`),
  'search by status': read(({ tasks }) => `/tasks?status=pending&limit=${LIMIT}&skip=${tasks / 2}`),
  'search by type and status': read(
    ({ tasks }) => `/tasks?type=claude&status=pending&limit=${LIMIT}&skip=${tasks / 2}`,
  ),
  'search by tag': read(
    ({ tasks }, at) => `/tasks?tag=${TAGS[at % TAGS.length]}&limit=${LIMIT}&skip=${tasks / 2 / TAGS.length / 2}`,
  ),
  // This operation is last because it leaves ended tasks behind.
  'lease and result': {
    count: 500,
    async run({ client }) {
      const body = JSON.stringify({ worker_id: 'worker-1', types: ['claude'] });
      const request = { method: 'POST', path: '/leases', body, status: 201 } as const;
      const { leases } = await client.send<{ leases: [{ id: string; token: string }] }>(request);
      const result = JSON.stringify({ token: leases[0].token, status: 'completed', result: { notes: 'Done' } });
      await client.send({ method: 'PUT', path: `/leases/${leases[0].id}/result`, body: result });
    },
    restore: ({ client, agentIds }) => createTasks(client, agentIds.slice(0, 100), 5),
  },
};

function read(toPath: (filled: Filled, at: number) => string): Operation {
  return { count: 1_000, run: (filled, at) => filled.client.send({ path: toPath(filled, at) }) };
}

/** Returns the processor time of one operation in µs. */
async function measure(filled: Filled, { count, run, restore }: Operation): Promise<number> {
  const before = await filled.processorSeconds();
  await repeat(count, WIDTH, (at) => run(filled, at));
  const seconds = (await filled.processorSeconds()) - before;
  await restore?.(filled);
  return (seconds / count) * 1e6;
}

async function fill(signal: AbortSignal, flags: string[], tasks: number): Promise<Filled> {
  const stage = await openStage(signal, flags);
  const redis = new Redis(stage.redisUrl);
  const close = async () => {
    redis.disconnect();
    await stage.close();
  };
  try {
    const began = Date.now();
    const filled = await fillStage(stage, redis, tasks);
    console.log(`  ${tasks} tasks are there after ${((Date.now() - began) / 1_000).toFixed(0)} s`);
    return { ...filled, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function fillStage(stage: Stage, redis: Redis, tasks: number): Promise<Omit<Filled, 'close'>> {
  const fleet = await startFleet(stage, 0);
  // Redis would rewrite its append-only file at unpredictable times, which takes processor time.
  await redis.config('SET', 'appendonly', 'no');
  const client = fleet.clients.agents;
  const agentIds = await createAgents(client, tasks / TASKS_PER_AGENT, 'claude');
  const half = agentIds.length / 2;
  const used = [await readNumber(redis, 'used_memory')];
  await createTasks(client, agentIds.slice(0, half), TASKS_PER_AGENT);
  used.push(await readNumber(redis, 'used_memory'));
  await createTasks(client, agentIds.slice(half), TASKS_PER_AGENT, TAGS);
  used.push(await readNumber(redis, 'used_memory'));
  const bytesPerTask = (at: number) => ((used[at + 1] as number) - (used[at] as number)) / (tasks / 2);
  return {
    tasks,
    agentIds,
    client,
    bytesPerTask: { untagged: bytesPerTask(0), tagged: bytesPerTask(1) },
    async processorSeconds() {
      const [user, system] = [await readNumber(redis, 'used_cpu_user'), await readNumber(redis, 'used_cpu_sys')];
      return (await stage.processorSeconds('agents')) + user + system;
    },
  };
}

/** Reads a field of `INFO`. */
async function readNumber(redis: Redis, field: string): Promise<number> {
  return Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(await redis.info())?.[1]);
}
