import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '../stage/stage.ts';
import { type RegistryStage, untilStatus } from './registry-stage.ts';
import type { Stall } from './report-stalls.ts';

const NAME = 'refreshed';
export const REFRESHES = 3;
const REFRESH_SECONDS = '2';
/** Pause before and after each refresh, so that work of an earlier refresh is complete and later work counts. */
const PAUSE_MS = 5_000;
const SAMPLE_EVERY_MS = 20;

/** A refresh, measured from when the source has a new edition. */
export interface Refresh {
  /** Until the new edition is served. */
  seconds: number;
  /** Processor time of all threads. */
  processorSeconds: number;
  /**
   * The longest stall of the event loop, and the longest processor time of the main thread during a stall: other
   * processes may cause the rest.
   */
  stall: { ms: number; busyMs: number };
  residentBytes: { before: number; peak: number; after: number };
}

/** What does a new edition of the source, with 1 % changed, cost a registry process? */
export async function measureRefreshes(on: RegistryStage): Promise<Refresh[]> {
  const { stage, source } = on;
  const file = join(stage.dir, 'stalls');
  const env = { REGISTRY_REFRESH_SECONDS: REFRESH_SECONDS, STALLS_FILE: file };
  const flags = ['--import', join(import.meta.dirname, 'report-stalls.ts')];
  const port = await on.startRegistry(NAME, env, flags);
  const refreshes: Refresh[] = [];
  while (refreshes.length < REFRESHES) {
    await source.prepare();
    await sleep(PAUSE_MS, undefined, { signal: stage.signal });
    const refresh = await measureRefresh(on, port, file);
    refreshes.push(refresh);
    console.log(`  refresh ${refreshes.length}  ${describe(refresh)}`);
  }
  return refreshes;
}

async function measureRefresh({ stage, source }: RegistryStage, port: number, file: string): Promise<Refresh> {
  const { snapshot_id: old } = await untilStatus(port, stage.signal, () => true);
  const used = await stage.processorSeconds(NAME);
  const before = await stage.residentBytes(NAME);
  const memory = watchMemory(stage);
  try {
    const beganAt = Date.now();
    await source.switch();
    await untilStatus(port, stage.signal, ({ snapshot_id: id }) => id !== old);
    const seconds = (Date.now() - beganAt) / 1_000;
    await sleep(PAUSE_MS, undefined, { signal: stage.signal });
    return {
      seconds,
      processorSeconds: (await stage.processorSeconds(NAME)) - used,
      stall: await longestStall(file, beganAt),
      residentBytes: { before, peak: memory.peak(), after: await stage.residentBytes(NAME) },
    };
  } finally {
    await memory.stop();
  }
}

function watchMemory(stage: Stage) {
  let peak = 0;
  let isOver = false;
  const watched = (async () => {
    for (; !isOver; await sleep(SAMPLE_EVERY_MS)) peak = Math.max(peak, await stage.residentBytes(NAME));
  })();
  return {
    peak: () => peak,
    stop: async () => {
      isOver = true;
      await watched;
    },
  };
}

async function longestStall(file: string, since: number): Promise<Refresh['stall']> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  const stalls = lines.map((line) => JSON.parse(line) as Stall).filter(({ endedAt }) => endedAt >= since);
  return {
    ms: Math.max(0, ...stalls.map(({ ms }) => ms)),
    busyMs: Math.max(0, ...stalls.map(({ processorMs }) => processorMs)),
  };
}

function describe({ seconds, processorSeconds, stall, residentBytes: { before, peak, after } }: Refresh): string {
  const memory = [before, peak, after].map((bytes) => (bytes / 1e6).toFixed(0)).join(', ');
  const stalled = `stalled ${stall.ms.toFixed(1)} ms, busy ${stall.busyMs.toFixed(1)} ms`;
  return `${seconds.toFixed(1)} s, ${processorSeconds.toFixed(1)} s of a core, ${stalled}, ${memory} MB`;
}
