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

/** Of one minute. */
export interface SoakMinute {
  residentBytes: number;
  openHandles: number;
  /** Of answers of 200, from when a request was due. */
  p50Ms: number;
  p99Ms: number;
  ok: number;
  /** Answers of any other status, and broken connections. */
  failed: number;
}

export interface Soak {
  perSecond: number;
  minutes: SoakMinute[];
}

/** Does a gateway need more memory, files or time the longer it works, at 70 % of the most that it can do? */
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

/** What the process holds shortly before a minute ends, while the connections of that minute are open. */
async function sampleHeld(stage: Stage, name: string): Promise<Pick<SoakMinute, 'residentBytes' | 'openHandles'>> {
  await sleep(SAMPLE_AFTER_MS, undefined, { signal: stage.signal });
  return { residentBytes: await stage.residentBytes(name), openHandles: await stage.openHandles(name) };
}
