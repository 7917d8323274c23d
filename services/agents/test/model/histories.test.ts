import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Command, history } from './commands.ts';
import { type FleetEvents, followFleetEvents } from './fleet-events.ts';
import { verify, verifyDrained } from './invariants.ts';
import { type Replicas, startReplicas } from './replicas.ts';
import { World } from './world.ts';

/**
 * How many histories, begun within a minute unless their number is given; how many at once; where they begin: `MODEL_SEED`,
 * `MODEL_LANES=1` and `MODEL_PATH` repeat one.
 */
const HISTORIES = Number(process.env.MODEL_HISTORIES ?? 2_000);
const BEGUN_WITHIN_MS = process.env.MODEL_HISTORIES ? HISTORIES * 1_000 : 60_000;
const LANES = Number(process.env.MODEL_LANES ?? 40);
const SEED = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31));
const PATH = process.env.MODEL_PATH;
const TIMEOUT_MS = BEGUN_WITHIN_MS + 300_000;
const SHRINK_MS = 15_000;

/** An agent's type is of one lane only, so that leases by type take nothing of another history. */
const typesOf = (lane: number) => [`a${lane}`, `b${lane}`];

let replicas: Replicas;
let fleetEvents: FleetEvents;
beforeAll(async () => {
  replicas = await startReplicas(Array.from({ length: LANES }, (_, lane) => typesOf(lane)).flat());
  fleetEvents = followFleetEvents(replicas.redis, replicas.keys);
});
afterAll(async () => {
  await fleetEvents.close();
  await replicas.close();
});

const counts = { histories: 0, steps: 0, events: 0 };
const failures: string[] = [];
/** The first failure of a lane, before it is made shorter. */
const found = new Map<number, string>();
/** No history begins after this; from the first failure on there is some time to find a shorter one that fails too. */
let beginUntil = Number.POSITIVE_INFINITY;

async function play(commands: readonly Command[], lane: number): Promise<void> {
  if (Date.now() > beginUntil) return;
  const world = await World.create(replicas, typesOf(lane));
  try {
    for (const command of commands) await world.run(command);
    await verify(world, replicas, fleetEvents);
    await verifyDrained(world, replicas);
    counts.events += world.model.agents.flatMap(({ events }) => events).length;
    await world.deleteAgents();
    await verify(world, replicas, fleetEvents);
  } catch (error) {
    beginUntil = Math.min(beginUntil, Date.now() + SHRINK_MS);
    const told = `${(error as Error).message}\n${world.log.join('\n')}`;
    if (!found.has(lane)) found.set(lane, told);
    await world.leave();
    throw new Error(told, { cause: error });
  } finally {
    counts.histories += 1;
    counts.steps += world.log.length;
    fleetEvents.forget(world.model.agents.map(({ id }) => id));
  }
}

async function runLane(lane: number): Promise<void> {
  const seed = SEED + lane;
  const details = await fc.check(
    fc.asyncProperty(history, (commands) => play(commands, lane)),
    { numRuns: Math.ceil(HISTORIES / LANES), seed, path: PATH },
  );
  if (!details.failed) return;
  const repeat = `MODEL_SEED=${seed} MODEL_LANES=1 MODEL_PATH=${details.counterexamplePath}`;
  failures.push(
    `To repeat: ${repeat}\n${(details.errorInstance as Error | null)?.message ?? 'interrupted'}\n\nAs found:\n${found.get(lane)}`,
  );
}

/** Keys of the test's own that are left, but for what the fleet keeps for ever or for an hour. */
async function keysLeft(): Promise<string[]> {
  const { redis, keys, prefix } = replicas;
  const kept = [keys.agentIndexEntries, keys.tombstones, keys.wakeups, keys.fleetEvents, keys.fleetSeq];
  const left: string[] = [];
  for (let cursor = '0'; ; ) {
    const [next, found] = await (redis as import('ioredis').Redis).scan(
      cursor,
      'MATCH',
      `${prefix}:*`,
      'COUNT',
      10_000,
    );
    left.push(...found.filter((key) => !kept.includes(key) && !/:idempotency$|:\{fleet\}:sweep/.test(key)));
    if (next === '0') return left;
    cursor = next;
  }
}

test(
  'whatever two replicas are asked at once, by workers that crash, sleep and repeat themselves, is as the model says',
  async () => {
    const begun = Date.now();
    beginUntil = begun + BEGUN_WITHIN_MS;
    const cpu = process.cpuUsage();
    await Promise.all(Array.from({ length: LANES }, (_, lane) => runLane(lane)));
    const seconds = Math.round((Date.now() - begun) / 1_000);
    const { user, system } = process.cpuUsage(cpu);
    console.info(
      `${counts.histories} histories, ${counts.steps} steps, ${counts.events} events in ${seconds} s ` +
        `(${Math.round((user + system) / 1e6)} s of a processor), MODEL_SEED=${SEED}`,
    );
    if (failures.length > 0) throw new Error(`${failures.length} lanes fail:\n\n${failures.slice(0, 3).join('\n\n')}`);
    expect(counts.histories).toBeGreaterThanOrEqual(LANES);
    expect(await keysLeft()).toEqual([]);
  },
  TIMEOUT_MS,
);
