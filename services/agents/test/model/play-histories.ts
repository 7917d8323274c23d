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
  /** How many histories run concurrently, in each round. */
  lanes: number;
  /** Of the first history; the others have the next ones. */
  seed: number;
  /** Repeats a single history, as printed by a failure. */
  path?: string;
  /** No round begins after this time. */
  withinMs: number;
}

/** An agent's type belongs to one lane, so that leases by type take no tasks of another history. */
const typesOf = (lane: number) => [`a${lane}`, `b${lane}`];

/** Plays random histories on two replicas and compares them with the model. @throws Error with the failed ones */
export async function playHistories(options: Options): Promise<void> {
  const replicas = await startReplicas(Array.from({ length: options.lanes }, (_, lane) => typesOf(lane)).flat());
  await playAll(options, replicas);
  expect(await checkDatabase(replicas.redis, replicas.keys)).toEqual([]);
  expect(await keysLeft(replicas)).toEqual([]);
}

async function playAll({ histories, lanes, seed: firstSeed, path, withinMs }: Options, replicas: Replicas) {
  const counts = { histories: 0, steps: 0, events: 0 };
  const failures: string[] = [];
  const start = Date.now();
  let shrinkUntil = Number.POSITIVE_INFINITY;

  /** Plays a history. */
  async function play(generate: fc.GeneratorValue, lane: number): Promise<World> {
    const world = await World.create(replicas, typesOf(lane), generate);
    counts.histories += 1;
    await withLog(world, async () => {
      await world.play();
      await verify(world, replicas);
    });
    counts.steps += world.log.length;
    counts.events += world.model.agents.flatMap(({ events }) => events).length;
    return world;
  }

  async function end(world: World): Promise<void> {
    await verifyDrained(world, replicas);
    await world.deleteAgents();
    await verify(world, replicas);
  }

  /** Plays a history of a lane; undefined when it fails. Then there is some time to find a shorter one that does. */
  async function runLane(lane: number, seed: number): Promise<World | undefined> {
    let world: World | undefined;
    let found: string | undefined;
    const property = fc.asyncProperty(fc.gen(), async (generate) => {
      if (Date.now() > shrinkUntil) return;
      try {
        world = await play(generate, lane);
      } catch (error) {
        shrinkUntil = Math.min(shrinkUntil, Date.now() + SHRINK_MS);
        found ??= (error as Error).message;
        throw error;
      }
    });
    const details = await fc.check(property, { numRuns: 1, seed, path });
    if (!details.failed) return world;
    const repeat = `MODEL_SEED=${seed} MODEL_HISTORIES=1 MODEL_LANES=1 MODEL_PATH=${details.counterexamplePath}`;
    const error = (details.errorInstance as Error | null)?.message ?? 'interrupted';
    failures.push(`To repeat: ${repeat}\n${error}\n\nAs found:\n${found}`);
    return undefined;
  }

  /** A history in each lane. When all have been played, nobody changes anything: the whole database is checked. */
  async function runRound(firstSeed: number): Promise<void> {
    const worlds = await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane, firstSeed + lane)));
    if (failures.length > 0) throw new Error(`${failures.length} lanes fail:\n\n${failures.slice(0, 3).join('\n\n')}`);
    expect(await checkDatabase(replicas.redis, replicas.keys)).toEqual([]);
    await Promise.all((worlds as World[]).map((world) => withLog(world, () => end(world))));
  }

  for (let seed = firstSeed; counts.histories < histories && Date.now() < start + withinMs; seed += lanes) {
    await runRound(seed);
  }
  const seconds = Math.round((Date.now() - start) / 1_000);
  console.info(
    `${counts.histories} histories, ${counts.steps} steps, ${counts.events} events in ${seconds} s, MODEL_SEED=${firstSeed}`,
  );
}

/** Adds the log of a history to an error. */
async function withLog(world: World, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await world.leave();
    throw new Error(`${(error as Error).message}\n${world.log.join('\n')}`, { cause: error });
  }
}

/** Returns remaining keys, except those that the fleet keeps permanently or for some days. */
async function keysLeft({ redis, keys }: Replicas): Promise<string[]> {
  const { prefix } = keys;
  const kept = [
    keys.workers,
    keys.spend(),
    keys.layout,
    keys.wakeups,
    keys.auditOutbox,
    keys.logs(),
    keys.events(),
    keys.event,
    `${prefix}turns`,
  ];
  const daily = [
    keys.worker(''),
    `${prefix}polls:`,
    keys.idempotency(''),
    `${prefix}series:`,
    `${prefix}spend-by:`,
    `${prefix}background:`,
  ];
  const left: string[] = [];
  for await (const found of (redis as Redis).scanStream({ match: `${prefix}*`, count: 10_000 })) left.push(...found);
  return left.filter((key) => !kept.includes(key) && !daily.some((start) => key.startsWith(start)));
}
