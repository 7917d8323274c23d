import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConstantly } from '../load/constant-rate.ts';
import { CONNECTIONS } from '../load/load.ts';
import { median } from '../load/rounds.ts';
import { type Front, measureMaximum } from './front.ts';
import { signInText } from './gateway-process.ts';

const SECONDS = 4;
const ROUNDS = 7;
const SIGN_INS = 100;

export interface SignInResults {
  perSecond: number;
  /** p99 of proxied requests, without and with sign-ins at the same time. */
  quietMs: number;
  busyMs: number;
  /** How long the sign-ins took, all together. */
  signInsMs: number;
}

/**
 * How much do 100 sign-ins at once raise the p99 of proxied requests, at a third of the maximum rate of the gateway?
 * Rounds without and with them alternate.
 */
export async function measureSignIns(front: Front): Promise<SignInResults> {
  const port = await front.startGateway('sign-ins', 'quick');
  const perSecond = Math.round((await measureMaximum(front, port)) / 3);
  const load = { port, request: front.requests.small, perSecond, connections: CONNECTIONS, seconds: SECONDS } as const;
  const quiet: number[] = [];
  const busy: number[] = [];
  const took: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const without = await loadConstantly(front.stage, { ...load, whenBusy: 'wait' });
    const loading = loadConstantly(front.stage, { ...load, whenBusy: 'wait' });
    // After the warm-up of the load.
    await sleep(1_200);
    const signInsMs = await signInTogether(front.identity);
    const together = await loading;
    console.log(`  round ${round}: p99 ${without.p99Ms.toFixed(2)} ms, with sign-ins ${together.p99Ms.toFixed(2)} ms`);
    if (round === 0) continue;
    quiet.push(without.p99Ms);
    busy.push(together.p99Ms);
    took.push(signInsMs);
  }
  return { perSecond, quietMs: median(quiet), busyMs: median(busy), signInsMs: median(took) };
}

/** Sends all sign-ins in one moment, over sockets of their own, at little cost for this process. */
async function signInTogether(port: number): Promise<number> {
  const sockets = await Promise.all(
    Array.from({ length: SIGN_INS }, async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    }),
  );
  const startedMs = performance.now();
  const request = signInText();
  const responses = await Promise.all(
    sockets.map((socket) => {
      socket.write(request);
      return text(socket);
    }),
  );
  const failed = responses.find((response) => !response.startsWith('HTTP/1.1 200 '));
  if (failed !== undefined) throw new Error(`A sign-in failed: ${failed.slice(0, 300)}`);
  return performance.now() - startedMs;
}
