import { setTimeout as sleep } from 'node:timers/promises';
import { type ConstantFigures, loadConstantly } from '../load/constant-rate.ts';
import { median } from '../load/rounds.ts';
import { type Front, measureMaximum } from './front.ts';

const SECONDS = 5;
/** After the warm-up, all admitted requests have connections. */
const WARM_UP_SECONDS = 3;
const ROUNDS = 5;
const TIMES = 3;
/** After this pause the gateway refuses no more requests. */
const PAUSE_MS = 6_000;
/** Each client has one request in flight. A request that is due while all clients wait for a response is not sent. */
export const CLIENTS = 4_000;

export interface Overload {
  /** Maximum rate over 64 connections, in requests per second. */
  maximum: number;
  /** The following rates are per second. */
  due: number;
  sent: number;
  ok: number;
  refused: number;
  failed: number;
  /** Of responses with status 200. */
  p50Ms: number;
  p99Ms: number;
  /** Processor time in percent of one core. */
  gatewayPercent: number;
  generatorPercent: number;
}

/**
 * How does the gateway handle three times its maximum rate, from clients that do not slow down when it refuses
 * requests?
 */
export async function measureOverload(front: Front): Promise<Overload> {
  const name = 'overload';
  const port = await front.startGateway(name, 'quick');
  const rounds: Overload[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await sleep(PAUSE_MS, undefined, { signal: front.stage.signal });
    const maximum = await measureMaximum(front, port);
    const load = { port, request: front.requests.small, perSecond: Math.round(TIMES * maximum), connections: CLIENTS };
    const seconds = { seconds: SECONDS, warmUpSeconds: WARM_UP_SECONDS };
    const before = await front.stage.processorSeconds(name);
    const beganMs = performance.now();
    const figures = await loadConstantly(front.stage, { ...load, ...seconds, whenBusy: 'drop' });
    const tookSeconds = (performance.now() - beganMs) / 1_000;
    const gatewaySeconds = (await front.stage.processorSeconds(name)) - before;
    rounds.push({
      maximum,
      ...toRates(figures),
      gatewayPercent: (100 * gatewaySeconds) / tookSeconds,
      generatorPercent: (100 * figures.processorSeconds) / tookSeconds,
    });
    console.log(`  round ${round + 1}  ${JSON.stringify(rounds.at(-1), (_, value) => toRounded(value))}`);
  }
  return toMedians(rounds);
}

function toRates({ seconds, due, sent, ok, refused, failed, p50Ms, p99Ms }: ConstantFigures) {
  const rate = (count: number) => count / seconds;
  return { due: rate(due), sent: rate(sent), ok: rate(ok), refused: rate(refused), failed: rate(failed), p50Ms, p99Ms };
}

function toRounded(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value) : value;
}

function toMedians(rounds: Overload[]): Overload {
  const of = (key: keyof Overload) => median(rounds.map((round) => round[key]));
  return {
    maximum: of('maximum'),
    due: of('due'),
    sent: of('sent'),
    ok: of('ok'),
    refused: of('refused'),
    failed: of('failed'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    gatewayPercent: of('gatewayPercent'),
    generatorPercent: of('generatorPercent'),
  };
}
