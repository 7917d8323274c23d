import { NODE_ENVIRONMENT, NODE_FLAGS } from '@agent-fleet/scripts/services';
import { Redis } from 'ioredis';
import type { LoadRequest } from '../load/load.ts';
import { hasPostgres, startPostgres } from '../peers/postgres.ts';
import type { Stage } from '../stage/stage.ts';
import { createAgents } from './fill.ts';
import type { MeasuredFleet } from './fleet.ts';

const TASK = '{"message":"Summarise the release"}';

export const TASK_SYSTEMS = [
  'one',
  'many',
  'fastify-bullmq',
  'fastify-graphile-worker',
  'bullmq',
  'express-tasks',
] as const;
/** `one`: the agents process with one agent, as a peer has one queue; `many`: with all agents of the fleet, in turn. */
export type TaskSystem = (typeof TASK_SYSTEMS)[number];

/** A system that takes tasks over HTTP. */
export interface Target {
  port: number;
  /** Whose processor time counts: the process and its store. */
  parts: string[];
  /** Sent in turn. */
  create: LoadRequest[];
  lease?: LoadRequest;
}

/** Starts the peers, with Node's flags, variables and Redis as the agents process has them. `bullmq` loads itself. */
export async function startSystems(stage: Stage, fleet: MeasuredFleet): Promise<Map<TaskSystem, Target>> {
  await keepAppendOnlyFile(stage.redisUrl);
  const targets = new Map<TaskSystem, Target>(await ownTargets(fleet));
  const start = async (name: TaskSystem, env: NodeJS.ProcessEnv, store?: string) => {
    const variables = { ...NODE_ENVIRONMENT, ...env };
    const port = await stage.startNode(name, `bench/peers/${name}.ts`, variables, { path: '/ready' }, NODE_FLAGS);
    const target = { port, parts: [name], create: [post('/tasks', TASK)] };
    const lease = post('/leases', '{"worker_id":"worker-1"}');
    targets.set(name, store ? { ...target, parts: [name, store], lease } : target);
  };
  await start('fastify-bullmq', { REDIS_URL: stage.redisUrl }, 'redis');
  if (hasPostgres) await start('fastify-graphile-worker', await startPostgres(stage, 'postgres'), 'postgres');
  await start('bullmq', { REDIS_URL: stage.redisUrl }, 'redis');
  await start('express-tasks', {});
  return targets;
}

/** Redis would rewrite it at unpredictable times, which takes processor time. */
async function keepAppendOnlyFile(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.config('SET', 'auto-aof-rewrite-percentage', '0');
  redis.disconnect();
}

/** The agent of `one` has a type that the fleet does not use, so that `many` never leases its tasks. */
async function ownTargets(fleet: MeasuredFleet): Promise<[TaskSystem, Target][]> {
  const { ports, clients, agentIds, internal } = fleet;
  const [one = ''] = await createAgents(clients.agents, 1, 'gpt');
  const own = { port: ports.agents, parts: ['agents', 'redis'] };
  const create = (id: string) => post(`/agents/${id}/tasks`, TASK, internal);
  const leaseOne = post(`/agents/${one}/leases`, '{"worker_id":"worker-1"}', internal);
  const leaseAny = post('/leases', '{"worker_id":"worker-1","types":["claude"]}', internal);
  return [
    ['one', { ...own, create: [create(one)], lease: leaseOne }],
    ['many', { ...own, create: agentIds.map(create), lease: leaseAny }],
  ];
}

function post(path: string, body: string, headers: Record<string, string> = {}): LoadRequest {
  return { method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' }, body, status: 201 };
}
