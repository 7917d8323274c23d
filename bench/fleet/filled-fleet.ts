import { Redis } from 'ioredis';
import { openStage, type Stage } from '../stage/stage.ts';
import type { Client } from './client.ts';
import { createAgents, createTasks, TAGS } from './fill.ts';
import { startFleet } from './fleet.ts';

const TASKS_PER_AGENT = 10;

/** A fleet with `tasks` pending tasks, ten per agent; half of the agents have tagged tasks. */
export interface FilledFleet {
  tasks: number;
  agentIds: string[];
  client: Client;
  bytesPerTask: BytesPerTask;
  /** Processor time of the agents process and Redis so far. */
  processorSeconds(): Promise<number>;
  /** Returns how long the longest script has run in Redis since the last call. */
  longestScriptMs(): Promise<number>;
  close(): Promise<void>;
}

/** Memory of Redis for a pending task with its queue entry, events and index entries. */
export interface BytesPerTask {
  untagged: number;
  tagged: number;
}

export async function fillFleet(signal: AbortSignal, flags: string[], tasks: number): Promise<FilledFleet> {
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

async function fillStage(stage: Stage, redis: Redis, tasks: number): Promise<Omit<FilledFleet, 'close'>> {
  const fleet = await startFleet(stage, 0);
  // Redis would rewrite its append-only file at unpredictable times, which takes processor time.
  await redis.config('SET', 'appendonly', 'no');
  await redis.config('SET', 'latency-tracking-info-percentiles', '100');
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
    async longestScriptMs() {
      const scripts = (await redis.info('latencystats')).matchAll(
        /^latency_percentiles_usec_evalsha\w*:p100=([\d.]+)/gm,
      );
      await redis.config('RESETSTAT');
      return Math.max(0, ...[...scripts].map(([, microseconds]) => Number(microseconds) / 1_000));
    },
  };
}

/** Reads a field of `INFO`. */
async function readNumber(redis: Redis, field: string): Promise<number> {
  return Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(await redis.info())?.[1]);
}
