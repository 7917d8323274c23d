import { setTimeout as sleep } from 'node:timers/promises';
import { NODE_ENVIRONMENT, NODE_FLAGS, serviceNamed } from '@agent-fleet/scripts/services';
import { createClient } from '../fleet/client.ts';
import { INTERNAL_TOKEN, startGateway } from '../gateway/gateway-process.ts';
import type { LoadGenerator } from '../load/load.ts';
import type { Stage } from '../stage/stage.ts';
import type { Changes, SyntheticRegistry } from './synthetic/synthetic-registry.ts';

export const SEED = 20_260_101;
const READY_TIMEOUT_MS = 180_000;
const POLL_MS = 100;
const RARELY = '86400';

/** Headers that the service requires from a client other than the gateway. */
export const INTERNAL = { 'x-fleet-internal-token': INTERNAL_TOKEN };

/** A registry process with a synthetic source, and a gateway process in front of it. */
export interface RegistryStage {
  stage: Stage;
  generator: LoadGenerator;
  /** Number of skills in the source. */
  skills: number;
  ports: { registry: number; gateway: number };
  source: RegistrySource;
  /**
   * Starts another registry process with its own Redis prefix, to which the gateway sends nothing; returns its port
   * once it serves the skills.
   */
  startRegistry(name: string, env: NodeJS.ProcessEnv, flags: string[]): Promise<number>;
}

export interface RegistrySource {
  /** Prepares the next edition, which differs by 1 %; takes seconds. */
  prepare(): Promise<void>;
  /** Serves the prepared edition from now on. */
  switch(): Promise<void>;
}

/** Response of `/api/registry/status`. */
interface Status {
  snapshot_id: string;
  counts: { skills: number };
}

export async function openRegistryStage(
  stage: Stage,
  generator: LoadGenerator,
  skills: number,
): Promise<RegistryStage> {
  const upstream = await startUpstream(stage, skills);
  const client = createClient(upstream, {}, stage.signal);
  const source: RegistrySource = {
    prepare: async () => void (await client.send({ path: '/prepare' })),
    switch: async () => void (await client.send({ path: '/switch' })),
  };
  await source.prepare();
  await source.switch();
  const startRegistry: RegistryStage['startRegistry'] = async (name, env, flags) => {
    const own = {
      ...NODE_ENVIRONMENT,
      ...serviceNamed('registry').environment,
      INTERNAL_TOKEN,
      REDIS_URL: stage.redisUrl,
      REDIS_PREFIX: name,
      REGISTRY_SOURCE_URL: `http://127.0.0.1:${upstream}/registry.json`,
      ...env,
    };
    const allFlags = [...NODE_FLAGS, ...flags];
    const port = await stage.startNode(name, serviceNamed('registry').main, own, { path: '/ready' }, allFlags);
    // Records of the same skill are merged, so the count is lower than that of the source.
    await untilStatus(port, stage.signal, ({ counts }) => counts.skills > skills / 2);
    return port;
  };
  const registry = await startRegistry('registry', { REGISTRY_REFRESH_SECONDS: RARELY }, []);
  const gateway = await startGateway(stage, 'gateway', { agents: registry, registry });
  return { stage, generator, skills, ports: { registry, gateway }, source, startRegistry };
}

/** Resolves with the first status that matches. @throws if none does within 3 minutes */
export async function untilStatus(
  port: number,
  signal: AbortSignal,
  isIt: (status: Status) => boolean,
): Promise<Status> {
  const client = createClient(port, INTERNAL, signal);
  const deadline = Date.now() + READY_TIMEOUT_MS;
  try {
    for (;;) {
      const status = await client.send<Status>({ path: '/api/registry/status' });
      if (isIt(status)) return status;
      if (Date.now() > deadline)
        throw new Error(`The registry did not reach the expected status: ${JSON.stringify(status)}`);
      await sleep(POLL_MS, undefined, { signal });
    }
  } finally {
    client.close();
  }
}

function startUpstream(stage: Stage, skills: number): Promise<number> {
  const registry = JSON.stringify(toRegistry(skills));
  const file = 'bench/registry/upstream-process.ts';
  return stage.startNode('source', file, { ...NODE_ENVIRONMENT, REGISTRY: registry }, { path: '/ready' });
}

/** Each edition of the source differs by 1 % from the one before. */
export function toRegistry(skills: number): Omit<SyntheticRegistry, 'edition'> {
  const one = Math.round(skills / 100);
  const changes: Changes = {
    changed: one - 2 * Math.round(one / 10),
    added: Math.round(one / 10),
    removed: Math.round(one / 10),
  };
  return { seed: SEED, count: skills, changes };
}
