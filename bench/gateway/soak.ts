import { setTimeout as sleep } from 'node:timers/promises';
import { loadConstantly } from '../load/constant-rate.ts';
import { CONNECTIONS } from '../load/load.ts';
import type { Stage } from '../stage/stage.ts';
import { describe } from './added-latency.ts';
import { type Front, measureMaximum } from './front.ts';

export const MINUTES = 10;
const SECONDS = 60;
const SAMPLE_AFTER_MS = 0.9 * SECONDS * 1_000;
export const PART_OF_MAXIMUM = 0.7;

/** Figures of one minute. */
export interface SoakMinute {
  residentBytes: number;
  openHandles: number;
  /** Of responses with status 200, counted from when a request was due. */
  p50Ms: number;
  p99Ms: number;
  ok: number;
  /** Responses with another status, and broken connections. */
  failed: number;
}

export interface Soak {
  perSecond: number;
  minutes: SoakMinute[];
}

/** Do memory, open files and latency of a gateway grow over time, at 70 % of its maximum rate? */
export async function measureSoak(front: Front): Promise<Soak> {
  const name = 'soak';
  const port = await front.startGateway(name, 'quick');
  const perSecond = Math.round(PART_OF_MAXIMUM * (await measureMaximum(front, port)));
  const load = { port, request: front.requests.small, perSecond, connections: CONNECTIONS, seconds: SECONDS } as const;
  const minutes: SoakMinute[] = [];
  while (minutes.length < MINUTES) {
    const [figures, held] = await Promise.all([
      loadConstantly(front.stage, { ...load, whenBusy: 'wait' }),
      sampleHeld(front.stage, name),
    ]);
    const { p50Ms, p99Ms, ok, refused, failed } = figures;
    const minute = { ...held, p50Ms, p99Ms, ok, failed: refused + failed };
    minutes.push(minute);
    const needs = `${(minute.residentBytes / 1e6).toFixed(0)} MB, ${minute.openHandles} handles`;
    console.log(`  minute ${minutes.length}  ${needs}, ${describe(minute)}, ${minute.failed} failed`);
  }
  return { perSecond, minutes };
}

/** Reads the figures shortly before the minute ends, while its connections are open. */
async function sampleHeld(stage: Stage, name: string): Promise<Pick<SoakMinute, 'residentBytes' | 'openHandles'>> {
  await sleep(SAMPLE_AFTER_MS, undefined, { signal: stage.signal });
  return { residentBytes: await stage.residentBytes(name), openHandles: await stage.openHandles(name) };
}
