import { type ConstantFigures, loadConstantly } from '../load/constant-rate.ts';
import { CONNECTIONS } from '../load/load.ts';
import { median } from '../load/rounds.ts';
import { type Front, measureMaximum } from './front.ts';

const SECONDS = 4;
const ROUNDS = 7;

interface Times {
  p50Ms: number;
  p99Ms: number;
}

export interface AddedLatency {
  perSecond: number;
  direct: Times;
  gateway: Times;
}

/**
 * How much latency does the gateway add to a request, at a third of its maximum rate? Direct and proxied rounds
 * alternate at the same constant rate. The time of a request counts from when it was due, so that a stall is not
 * omitted.
 */
export async function measureAddedLatency(front: Front): Promise<AddedLatency> {
  const ports = { direct: front.upstreams.quick, gateway: await front.startGateway('latency', 'quick') };
  const perSecond = Math.round((await measureMaximum(front, ports.gateway)) / 3);
  const load = { request: front.requests.small, perSecond, connections: CONNECTIONS, seconds: SECONDS } as const;
  const samples: Record<keyof typeof ports, Times[]> = { direct: [], gateway: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const way of ['direct', 'gateway'] as const) {
      const figures = await loadConstantly(front.stage, { ...load, port: ports[way], whenBusy: 'wait' });
      requireAll(figures, way);
      console.log(`  ${round > 0 ? `round ${round}` : 'warm-up'}  ${way}: ${describe(figures)}`);
      if (round > 0) samples[way].push(figures);
    }
  }
  return { perSecond, direct: toMedians(samples.direct), gateway: toMedians(samples.gateway) };
}

export function describe({ p50Ms, p99Ms }: Times): string {
  return `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`;
}

/** @throws if a response was not 200 */
function requireAll({ due, refused, failed }: ConstantFigures, what: string): void {
  if (refused + failed > 0) throw new Error(`${what}: of ${due} requests ${refused} were refused, ${failed} failed`);
}

function toMedians(times: Times[]): Times {
  return { p50Ms: median(times.map(({ p50Ms }) => p50Ms)), p99Ms: median(times.map(({ p99Ms }) => p99Ms)) };
}
