import { request as startRequest } from 'node:http';
import { Redis } from 'ioredis';
import { type Client, repeat } from '../fleet/client.ts';
import { createAgents, createTasks, type Lease, type TaskRef } from '../fleet/fill.ts';
import type { MeasuredFleet } from '../fleet/fleet.ts';
import { median } from '../load/rounds.ts';
import type { Stage } from '../stage/stage.ts';

const ROUNDS = 3;
const COUNT = 2_000;
const WIDTH = 16;
const AGENTS = 200;
const STREAMS = 50;
/** Agents with more events than are kept. */
const BUSY = 4;
const TYPE = 'gemini';
const PARTS = ['gateway', 'agents', 'redis'] as const;
const REWRITE_PERCENTAGE = 'auto-aof-rewrite-percentage';

/** What one operation costs: processor time by process, and bytes of Redis' append-only file. */
export type Cost = Record<(typeof PARTS)[number] | 'fileBytes', number>;

export type Operation = 'read' | 'page' | 'create' | 'lease' | 'heartbeat' | 'result' | 'delivery';

export interface Costs {
  operations: Record<Operation, Cost>;
  /** Bytes of Redis' memory for each. */
  memory: { agent: number; pendingTask: number; endedTask: number };
}

/** What does one operation through the gateway cost each process, and what does Redis keep of it? */
export async function measureCosts(stage: Stage, { clients, ports, bearer }: MeasuredFleet): Promise<Costs> {
  const redis = new Redis(stage.redisUrl);
  const [, percentage = ''] = (await redis.config('GET', REWRITE_PERCENTAGE)) as string[];
  await redis.config('SET', REWRITE_PERCENTAGE, '0');
  const client = clients.gateway;
  try {
    const memory = await measureMemory(redis, client);
    const agents = await createAgents(client, AGENTS, TYPE);
    const costOf = (count: number, run: () => Promise<unknown>) => measure(stage, redis, count, run);
    const rounds: Record<Operation, Cost>[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const life = await measureLife(client, agents, costOf);
      const close = await openStreams(ports.gateway, bearer);
      const streamed = await costOf(COUNT, () => createEach(client, agents)).finally(close);
      const delivery = dividedBy(difference(streamed, life.create), STREAMS);
      await takeAll(client);
      if (round > 0) rounds.push({ ...life, delivery });
    }
    return { operations: toMedians(rounds), memory };
  } finally {
    await redis.config('SET', REWRITE_PERCENTAGE, percentage);
    redis.disconnect();
  }
}

type CostOf = (count: number, run: () => Promise<unknown>) => Promise<Cost>;

/** Costs of the operations of tasks from creation to completion, and of reading them meanwhile. */
async function measureLife(client: Client, agents: string[], costOf: CostOf) {
  let tasks: TaskRef[] = [];
  const create = await costOf(COUNT, async () => {
    tasks = await createEach(client, agents);
  });
  const path = ({ agent_id, id }: TaskRef) => `/agents/${agent_id}/tasks/${id}`;
  const send = (action: (at: number) => Promise<unknown>) => () => repeat(COUNT, WIDTH, action);
  const read = await costOf(
    COUNT,
    send((at) => client.send({ path: path(tasks[at] as TaskRef) })),
  );
  const page = await costOf(
    COUNT,
    send(() => client.send({ path: `/tasks?type=${TYPE}&limit=20` })),
  );
  let leases: Lease[] = [];
  const lease = await costOf(COUNT, async () => {
    leases = await repeat(COUNT, WIDTH, (at) => takeOne(client, at));
  });
  const put = (at: number, what: string, body: object) =>
    client.send({ method: 'PUT', path: `/leases/${leases[at]?.id}/${what}`, body: bodyOf(leases[at], body) });
  const heartbeat = await costOf(
    COUNT,
    send((at) => put(at, 'heartbeat', {})),
  );
  const result = await costOf(
    COUNT,
    send((at) => put(at, 'result', RESULT)),
  );
  return { read, page, create, lease, heartbeat, result };
}

const RESULT = { status: 'completed', result: { notes: 'Done' } };
const bodyOf = (lease: Lease | undefined, body: object) => JSON.stringify({ token: lease?.token, ...body });

function createEach(client: Client, agents: string[]): Promise<TaskRef[]> {
  return repeat(COUNT, WIDTH, (at) => {
    const body = JSON.stringify({ message: `Summarise release ${at}` });
    return client.send<TaskRef>({ method: 'POST', path: `/agents/${agents[at % AGENTS]}/tasks`, body, status: 201 });
  });
}

async function takeOne(client: Client, at: number): Promise<Lease> {
  const body = JSON.stringify({ worker_id: `worker-${at % WIDTH}`, types: [TYPE] });
  const { leases } = await client.send<{ leases: [Lease] }>({ method: 'POST', path: '/leases', body, status: 201 });
  return leases[0];
}

/** Completes as many tasks as were created. */
async function takeAll(client: Client): Promise<void> {
  await repeat(COUNT, WIDTH, async (at) => {
    const lease = await takeOne(client, at);
    await client.send({ method: 'PUT', path: `/leases/${lease.id}/result`, body: bodyOf(lease, RESULT) });
  });
}

/** Opens streams of all events, and returns a function that closes them. */
async function openStreams(port: number, bearer: Record<string, string>): Promise<() => void> {
  const headers = { ...bearer, accept: 'text/event-stream' };
  const opened = Array.from({ length: STREAMS }, () => {
    const request = startRequest({ host: '127.0.0.1', port, path: '/events', headers, agent: false });
    const ready = Promise.withResolvers<void>();
    // It is closed in the middle.
    request.on('response', (response) => ready.resolve(void response.resume().on('error', () => {})));
    request.on('error', ready.reject).end();
    return { request, ready: ready.promise };
  });
  await Promise.all(opened.map(({ ready }) => ready));
  return () => {
    for (const { request } of opened) request.destroy();
  };
}

async function measure(stage: Stage, redis: Redis, count: number, run: () => Promise<unknown>): Promise<Cost> {
  const before = await readUsage(stage, redis);
  await run();
  return dividedBy(difference(await readUsage(stage, redis), before), count);
}

async function readUsage(stage: Stage, redis: Redis): Promise<Cost> {
  const times = await Promise.all(PARTS.map(async (part) => (await stage.processorTimes([part])).parts * 1e6));
  const [gateway = 0, agents = 0, own = 0] = times;
  return { gateway, agents, redis: own, fileBytes: await readInfo(redis, 'aof_current_size') };
}

async function measureMemory(redis: Redis, client: Client): Promise<Costs['memory']> {
  const used: number[] = [];
  const note = async () => used.push(await readInfo(redis, 'used_memory'));
  await note();
  const agents = await createAgents(client, COUNT, TYPE);
  await note();
  await createTasks(client, agents.slice(0, BUSY), (2 * COUNT) / BUSY);
  await note();
  for (let half = 0; half < 2; half++) await takeAll(client);
  await note();
  const [empty = 0, withAgents = 0, pending = 0, ended = 0] = used;
  const tasks = 2 * COUNT;
  const memory = { agent: (withAgents - empty) / COUNT, pendingTask: (pending - withAgents) / tasks };
  for (const id of agents) await client.send({ method: 'DELETE', path: `/agents/${id}`, status: 204 });
  return { ...memory, endedTask: (ended - withAgents) / tasks };
}

async function readInfo(redis: Redis, field: string): Promise<number> {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(await redis.info())?.[1]);
}

function combine(of: (part: keyof Cost) => number): Cost {
  return { gateway: of('gateway'), agents: of('agents'), redis: of('redis'), fileBytes: of('fileBytes') };
}

const difference = (a: Cost, b: Cost) => combine((part) => a[part] - b[part]);
const dividedBy = (cost: Cost, count: number) => combine((part) => cost[part] / count);

function toMedians(rounds: Record<Operation, Cost>[]): Record<Operation, Cost> {
  const names = Object.keys(rounds[0] ?? {}) as Operation[];
  const of = (name: Operation) => combine((part) => median(rounds.map((round) => round[name][part])));
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Operation, Cost>;
}
