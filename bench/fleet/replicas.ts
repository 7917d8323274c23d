import { join } from 'node:path';
import { findRedis, startRedis } from '@agent-fleet/scripts/local/redis-server';
import { until } from '@agent-fleet/shared/testing/until';
import { Redis } from 'ioredis';
import type { LoadGenerator } from '../load/load.ts';
import { type MeteredFigures, meter, type Rounds } from '../load/metered.ts';
import { alternate } from '../load/rounds.ts';
import type { Stage } from '../stage/stage.ts';
import { createClient } from './client.ts';
import { createAgents } from './fill.ts';
import type { MeasuredFleet } from './fleet.ts';

const SECONDS = 2;
const ROUNDS = 7;
const REPLICAS = 2;
const MESSAGE = JSON.stringify({ message: 'x'.repeat(500) });

/** `REDIS_MIN_REPLICAS`. */
export const MINIMA = [0, 1, 2] as const;

export interface ReplicaResults {
  figures: Map<`${(typeof MINIMA)[number]}`, MeteredFigures>;
  rounds: Rounds;
}

/** What does it cost to wait until replicas of Redis have a new task? */
export async function measureReplicas(
  stage: Stage,
  fleet: MeasuredFleet,
  generator: LoadGenerator,
): Promise<ReplicaResults> {
  await using _ = await startReplicas(stage);
  const rounds: Rounds = { rounds: 0, disturbed: 0 };
  const toContestant = async (minimum: (typeof MINIMA)[number]) => {
    const name = `agents-${minimum}-replicas`;
    const env = { REDIS_MIN_REPLICAS: `${minimum}`, REDIS_PREFIX: name };
    const port = await fleet.startAgents(name, env);
    const client = createClient(port, fleet.internal, stage.signal);
    const [agent = ''] = await createAgents(client, 1, 'claude');
    const headers = { ...fleet.internal, 'content-type': 'application/json' };
    const request = { method: 'POST', path: `/agents/${agent}/tasks`, body: MESSAGE, status: 201, headers } as const;
    const load = () => generator.load({ port, requests: [request], seconds: SECONDS });
    return { name: `${minimum}` as const, run: () => meter(stage, [name, 'redis'], load, rounds) };
  };
  const figures = await alternate(await Promise.all(MINIMA.map(toContestant)), ROUNDS);
  return { figures, rounds };
}

async function startReplicas(stage: Stage): Promise<AsyncDisposable> {
  const { hostname, port, password } = new URL(stage.redisUrl);
  const args = ['--replicaof', hostname, port, '--masterauth', password];
  const start = (name: string) => startRedis(findRedis(console.log), { dir: join(stage.dir, name), args });
  const servers = await Promise.all(Array.from({ length: REPLICAS }, (_, at) => start(`replica-${at}`)));
  const master = new Redis(stage.redisUrl);
  await until(async () => {
    await master.set('linked', 'x');
    return (await master.wait(REPLICAS, 100)) === REPLICAS;
  });
  master.disconnect();
  return { [Symbol.asyncDispose]: async () => void (await Promise.all(servers.map((server) => server.kill()))) };
}
