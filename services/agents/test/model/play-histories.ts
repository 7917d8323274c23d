import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { checkDatabase } from '../database/check-database.ts';
import { verify, verifyDrained } from './invariants.ts';
import { type Replicas, startReplicas } from './replicas.ts';
import { World } from './world.ts';

const SHRINK_MS = 15_000;

interface Options {
  histories: number;
  /** How many histories run concurrently. */
  lanes: number;
  /** Lane n uses seed + n. */
  seed: number;
  /** Repeats a single history, as printed by a failure. */
  path?: string;
  /** No history begins after this time. */
  withinMs: number;
}

/** An agent's type belongs to one lane, so that leases by type take no tasks of another history. */
const typesOf = (lane: number) => [`a${lane}`, `b${lane}`];

/** Plays random histories on two replicas and compares them with the model. @throws Error with the failed ones */
export async function playHistories(options: Options): Promise<void> {
  const replicas = await startReplicas(Array.from({ length: options.lanes }, (_, lane) => typesOf(lane)).flat());
  try {
    await playAll(options, replicas);
    expect(await checkDatabase(replicas.redis, replicas.keys)).toEqual([]);
    expect(await keysLeft(replicas)).toEqual([]);
  } finally {
    await replicas.close();
  }
}

async function playAll(options: Options, replicas: Replicas): Promise<void> {
  const { histories, lanes, seed: firstSeed, path, withinMs } = options;
  const counts = { histories: 0, steps: 0, events: 0 };
  const failures: string[] = [];
  /** The first failure of each lane, before shrinking. */
  const found = new Map<number, string>();
  const start = Date.now();
  /** After the first failure there is some time to find a shorter history that fails too. */
  let beginUntil = start + withinMs;

  async function play(generate: fc.GeneratorValue, lane: number): Promise<void> {
    if (Date.now() > beginUntil) return;
    const world = await World.create(replicas, typesOf(lane), generate);
    try {
      await world.play();
      await verify(world, replicas);
      await verifyDrained(world, replicas);
      counts.events += world.model.agents.flatMap(({ events }) => events).length;
      await world.deleteAgents();
      await verify(world, replicas);
    } catch (error) {
      beginUntil = Math.min(beginUntil, Date.now() + SHRINK_MS);
      const failure = `${(error as Error).message}\n${world.log.join('\n')}`;
      if (!found.has(lane)) found.set(lane, failure);
      await world.leave();
      throw new Error(failure, { cause: error });
    } finally {
      counts.histories += 1;
      counts.steps += world.log.length;
    }
  }

  async function runLane(lane: number): Promise<void> {
    const seed = firstSeed + lane;
    const details = await fc.check(
      fc.asyncProperty(fc.gen(), (generate) => play(generate, lane)),
      { numRuns: Math.ceil(histories / lanes), seed, path },
    );
    if (!details.failed) return;
    const repeat = `MODEL_SEED=${seed} MODEL_LANES=1 MODEL_PATH=${details.counterexamplePath}`;
    const error = (details.errorInstance as Error | null)?.message ?? 'interrupted';
    failures.push(`To repeat: ${repeat}\n${error}\n\nAs found:\n${found.get(lane)}`);
  }

  await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)));
  const seconds = Math.round((Date.now() - start) / 1_000);
  if (failures.length > 0) throw new Error(`${failures.length} lanes fail:\n\n${failures.slice(0, 3).join('\n\n')}`);
  console.info(
    `${counts.histories} histories, ${counts.steps} steps, ${counts.events} events in ${seconds} s, MODEL_SEED=${firstSeed}`,
  );
  expect(counts.histories).toBeGreaterThanOrEqual(lanes);
}

/** Returns remaining keys, except those that the fleet keeps permanently or for some days. */
async function keysLeft({ redis, keys }: Replicas): Promise<string[]> {
  const { prefix } = keys;
  const seen = [keys.workers, keys.polledTypes, keys.polledAgents];
  const kept = [
    ...seen,
    keys.spend(),
    keys.layout,
    keys.wakeups,
    keys.auditOutbox,
    keys.logs(),
    keys.events(),
    keys.event,
    `${prefix}turns`,
  ];
  const daily = [keys.worker(''), keys.idempotency(''), `${prefix}series:`, `${prefix}background:`];
  const left: string[] = [];
  for await (const found of (redis as Redis).scanStream({ match: `${prefix}*`, count: 10_000 })) left.push(...found);
  return left.filter((key) => !kept.includes(key) && !daily.some((start) => key.startsWith(start)));
}
