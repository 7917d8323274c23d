import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '../stage/stage.ts';
import { readList } from './listing.ts';
import { INTERNAL, type RegistryStage, untilStatus } from './registry-stage.ts';
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
   * The longest stall of the event loop until the first list is sent, and the longest processor time of the main thread
   * during a stall: other processes may cause the rest.
   */
  stall: { ms: number; busyMs: number };
  residentBytes: { before: number; peak: number; after: number };
  /** The first request of the whole list in br after the refresh, and the peak until its response is complete. */
  firstList: { seconds: number; processorSeconds: number; peakBytes: number };
}

export interface RefreshResults {
  /** From the start of the process, without any snapshot, until it serves the skills. */
  firstBuild: { seconds: number; processorSeconds: number };
  refreshes: Refresh[];
}

/** What do the first build, and then a new edition of the source with 1 % changed, cost a registry process? */
export async function measureRefreshes(on: RegistryStage): Promise<RefreshResults> {
  const { stage, source } = on;
  const file = join(stage.dir, 'stalls');
  const env = { REGISTRY_REFRESH_SECONDS: REFRESH_SECONDS, STALLS_FILE: file };
  const flags = ['--import', join(import.meta.dirname, 'report-stalls.ts')];
  const beganAt = Date.now();
  const port = await on.startRegistry(NAME, env, flags);
  const seconds = (Date.now() - beganAt) / 1_000;
  const firstBuild = { seconds, processorSeconds: await stage.processorSeconds(NAME) };
  console.log(`  first build  ${seconds.toFixed(1)} s, ${firstBuild.processorSeconds.toFixed(1)} s of a core`);
  const refreshes: Refresh[] = [];
  while (refreshes.length < REFRESHES) {
    await source.prepare();
    await sleep(PAUSE_MS, undefined, { signal: stage.signal });
    const refresh = await measureRefresh(on, port, file);
    refreshes.push(refresh);
    console.log(`  refresh ${refreshes.length}  ${describe(refresh)}`);
  }
  return { firstBuild, refreshes };
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
    const processorSeconds = (await stage.processorSeconds(NAME)) - used;
    const residentBytes = { before, peak: memory.peak(), after: await stage.residentBytes(NAME) };
    const firstList = { ...(await requestList(stage, port)), peakBytes: memory.peak() };
    return { seconds, processorSeconds, residentBytes, firstList, stall: await longestStall(file, beganAt) };
  } finally {
    await memory.stop();
  }
}

async function requestList(stage: Stage, port: number): Promise<{ seconds: number; processorSeconds: number }> {
  const [beganAt, used] = [Date.now(), await stage.processorSeconds(NAME)];
  await readList(port, { ...INTERNAL, 'accept-encoding': 'br' });
  const seconds = (Date.now() - beganAt) / 1_000;
  return { seconds, processorSeconds: (await stage.processorSeconds(NAME)) - used };
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

function describe({ seconds, processorSeconds, stall, residentBytes, firstList }: Refresh): string {
  const { before, peak, after } = residentBytes;
  const memory = [before, peak, after].map((bytes) => (bytes / 1e6).toFixed(0)).join(', ');
  const stalled = `stalled ${stall.ms.toFixed(1)} ms, busy ${stall.busyMs.toFixed(1)} ms`;
  const list = `list ${firstList.processorSeconds.toFixed(1)} s of a core`;
  return `${seconds.toFixed(1)} s, ${processorSeconds.toFixed(1)} s of a core, ${stalled}, ${memory} MB, ${list}`;
}
