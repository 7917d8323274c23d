import { median } from '../load/rounds.ts';
import { repeat } from './client.ts';
import { createAgents, createTasks, TAGS, type TaskRef } from './fill.ts';
import { type BytesPerTask, type FilledFleet, fillFleet } from './filled-fleet.ts';

const ROUNDS = 9;
const WIDTH = 16;
const LIMIT = 20;
/** All tasks of the fleet. */
const ALL_TIMES = 'created_after=2020-01-01T00:00:00Z&created_before=2100-01-01T00:00:00Z';

export const READ_AGENT = '`GET /agents/{id}`';
export const READ_STATS = '`GET /stats`';

/** The same with few and with many tasks. */
interface Sizes<T> {
  small: T;
  large: T;
}

interface Cost {
  /** Processor time of the agents process and Redis for one operation. */
  microseconds: number;
  /** Duration of the longest script in Redis. */
  scriptMs: number;
}

/** Medians of all rounds. */
interface RoundsCost extends Cost {
  /** Minimum of all rounds: the work of a script without an interruption by other processes. */
  quietScriptMs: number;
}

export interface ScaleResults {
  tasks: Sizes<number>;
  bytesPerTask: Sizes<BytesPerTask>;
  /** By operation. */
  costs: Map<string, Sizes<RoundsCost>>;
}

/**
 * Does an operation cost the same with few and with many tasks? Measured as processor time of the agents process and
 * Redis, which other processes of the machine affect less than elapsed time.
 */
export async function measureScale(signal: AbortSignal, flags: string[], tasks: Sizes<number>): Promise<ScaleResults> {
  const opened: FilledFleet[] = [];
  try {
    const small = await fillFleet(signal, flags, tasks.small);
    opened.push(small);
    const large = await fillFleet(signal, flags, tasks.large);
    opened.push(large);
    const costs = new Map<string, Sizes<RoundsCost>>();
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      const samples: Sizes<Cost[]> = { small: [], large: [] };
      for (let round = 0; round <= ROUNDS; round++) {
        const costs = { small: await measure(small, operation), large: await measure(large, operation) };
        if (round === 0) continue;
        samples.small.push(costs.small);
        samples.large.push(costs.large);
      }
      const cost = { small: summarise(samples.small), large: summarise(samples.large) };
      costs.set(name, cost);
      console.log(`  ${name}: ${describe(cost.small)}; ${describe(cost.large)}`);
    }
    return { tasks, bytesPerTask: { small: small.bytesPerTask, large: large.bytesPerTask }, costs };
  } finally {
    for (const each of opened) await each.close();
  }
}

interface Operation {
  /** Operations per round. */
  count: number;
  run(filled: FilledFleet, at: number): Promise<unknown>;
  /** Creates as many tasks as the round completed. */
  restore?(filled: FilledFleet): Promise<void>;
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
  'search, newest first': read(({ tasks }) => `/tasks?order=desc&limit=${LIMIT}&skip=${tasks / 2}`),
  // Two indexes: what is skipped is read, at most 1,000.
  'search by two statuses': read(() => `/tasks?status=pending,running&limit=${LIMIT}&skip=500`),
  'search by time': read(({ tasks }) => `/tasks?${ALL_TIMES}&limit=${LIMIT}&skip=${tasks / 2}`),
  'search by worker': read(() => `/tasks?worker_id=worker-1&limit=${LIMIT}`),
  [READ_AGENT]: read(({ agentIds }, at) => `/agents/${agentIds[at % agentIds.length]}`),
  [READ_STATS]: read(() => '/stats'),
  '`GET /stats/series`': read(() => '/stats/series'),
  '`GET /workers`': read(() => '/workers'),
  '`GET /leases`': read(() => `/leases?limit=${LIMIT}`),
  'why a task waits': {
    count: 1_000,
    async run(filled) {
      const { agent_id, id } = await waitingTask(filled);
      await filled.client.send({ path: `/agents/${agent_id}/tasks/${id}/waiting` });
    },
  },
  // Has the longest scripts.
  'create an agent with 500 tasks, change its type, delete it': {
    count: 5,
    async run({ client }) {
      const agentIds = await createAgents(client, 1, 'gpt');
      await createTasks(client, agentIds, 500, TAGS);
      const path = `/agents/${agentIds[0]}`;
      await client.send({ method: 'PUT', path, body: '{"name":"Reviewer","type":"gemini"}' });
      await client.send({ method: 'DELETE', path, status: 204 });
    },
  },
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

/** The last of an agent's pending tasks. */
const waitingTask = once(async ({ client, agentIds }): Promise<TaskRef> => {
  const [task] = await client.send<[TaskRef]>({ path: `/agents/${agentIds.at(-1)}/tasks?order=desc&limit=1` });
  return task;
});

/** Prepares something once for each fleet. */
function once<T>(prepare: (filled: FilledFleet) => Promise<T>): (filled: FilledFleet) => Promise<T> {
  const prepared = new WeakMap<FilledFleet, Promise<T>>();
  return (filled) => {
    const found = prepared.get(filled) ?? prepare(filled);
    prepared.set(filled, found);
    return found;
  };
}

function read(toPath: (filled: FilledFleet, at: number) => string): Operation {
  return { count: 1_000, run: (filled, at) => filled.client.send({ path: toPath(filled, at) }) };
}

/**
 * The last tenth of the operations run one after another and count only for the longest script, so that no other
 * process of the benchmark takes Redis' processor.
 */
async function measure(filled: FilledFleet, { count, run, restore }: Operation): Promise<Cost> {
  const single = Math.ceil(count / 10);
  const before = await filled.processorSeconds();
  await repeat(count - single, WIDTH, (at) => run(filled, at));
  const seconds = (await filled.processorSeconds()) - before;
  await filled.longestScriptMs();
  await repeat(single, 1, (at) => run(filled, at));
  const scriptMs = await filled.longestScriptMs();
  await restore?.(filled);
  return { microseconds: (seconds / (count - single)) * 1e6, scriptMs };
}

function summarise(costs: Cost[]): RoundsCost {
  const durations = costs.map(({ scriptMs }) => scriptMs);
  return {
    microseconds: median(costs.map(({ microseconds }) => microseconds)),
    scriptMs: median(durations),
    quietScriptMs: Math.min(...durations),
  };
}

function describe({ microseconds, scriptMs }: Cost): string {
  return `${microseconds.toFixed(0)} µs, a script of ${scriptMs.toFixed(1)} ms`;
}
