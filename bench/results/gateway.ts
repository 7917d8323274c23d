import type { AddedLatency } from '../gateway/added-latency.ts';
import { type HeldConnections, IDLE, STREAMS } from '../gateway/held-connections.ts';
import type { LargeBodies } from '../gateway/large-bodies.ts';
import { CLIENTS, type Overload } from '../gateway/overload.ts';
import { ratioVerdict, spaced, table, toMegabytes, verdict } from './markdown.ts';

const ADDED_AIM_MS = { p50Ms: 0.5, p99Ms: 3 };
const HELD_AIM_MB = 250;
const BODY_AIM_MB = 50;
const GOODPUT_AIM = 0.8;
const OVERLOAD_AIM_MS = 1_000;

export function latencySection({ perSecond, direct, gateway }: AddedLatency): string {
  const row = (name: string, key: 'p50Ms' | 'p99Ms') => {
    const added = gateway[key] - direct[key];
    const cells = [direct[key], gateway[key], added].map((ms) => ms.toFixed(2));
    return [name, ...cells, ...verdict(added <= ADDED_AIM_MS[key], `≤ ${ADDED_AIM_MS[key]}`)];
  };
  return `## What the gateway adds to the time of a request at a third of its maximum rate

${perSecond} requests/s, each sent when it is due over one of 64 connections, or when one is free again, directly and through the gateway in
turn; the time counts from when it was due. Added is the difference of the percentiles.

${table(['', 'direct ms', 'gateway ms', 'added', 'aim', ''], [row('p50', 'p50Ms'), row('p99', 'p99Ms')])}`;
}

export function heldSection(held: HeldConnections): string {
  const heading = `## ${spaced(IDLE)} idle connections and ${spaced(STREAMS)} open event streams through one gateway process`;
  if (!held) return `${heading}\n\nNot measured: this system does not allow a process so many.`;
  const isMet = held.held <= HELD_AIM_MB * 1e6;
  return `${heading}

Each connection has had a response and stays open; each stream has had its first comment.

${table(
  ['', 'MB', 'aim', ''],
  [
    ['without them', toMegabytes(held.before), '', ''],
    ['with them', toMegabytes(held.held), ...verdict(isMet, `≤ ${HELD_AIM_MB}`)],
  ],
)}`;
}

export function bodiesSection(bodies: LargeBodies): string {
  const row = (name: string, { before, peak }: LargeBodies['download']) => {
    const isMet = peak - before <= BODY_AIM_MB * 1e6;
    return [name, ...[before, peak, peak - before].map(toMegabytes), ...verdict(isMet, `≤ ${BODY_AIM_MB}`)];
  };
  return `## Memory of the gateway during a body of 1 GB

The receiver takes at most 400 MB/s, less than the sender offers; after some other load.

${table(
  ['', 'MB before', 'MB at most', 'difference', 'aim', ''],
  [row('download', bodies.download), row('upload', bodies.upload)],
)}`;
}

export function overloadSection(overload: Overload): string {
  const { maximum, due, sent, ok, refused, failed, p50Ms, p99Ms, gatewayPercent, generatorPercent } = overload;
  const rates: [string, number][] = [
    ['maximum rate, over 64 connections', maximum],
    ['due', due],
    ['sent: a client has at most one request in flight', sent],
    ['refused with 503', refused],
    ['failed', failed],
  ];
  const goodput = ok / maximum;
  return `## Three times the maximum rate of the gateway

From ${spaced(CLIENTS)} clients, at a constant rate that does not depend on the responses. The load generator took ${generatorPercent.toFixed(0)} % of a core, the gateway
${gatewayPercent.toFixed(0)} %: much less than 100 % means that other processes of this machine took its time.

${table(
  ['', 'requests/s', 'is', 'aim', ''],
  [
    ...rates.map(([name, perSecond]) => [name, perSecond.toFixed(0), '', '', '']),
    ['answered with 200', ok.toFixed(0), ...ratioVerdict(goodput, GOODPUT_AIM)],
  ],
)}

${table(
  ['answered with 200', 'ms', 'aim', ''],
  [
    ['p50', p50Ms.toFixed(1), '', ''],
    ['p99', p99Ms.toFixed(1), ...verdict(p99Ms <= OVERLOAD_AIM_MS, `≤ ${spaced(OVERLOAD_AIM_MS)}`)],
  ],
)}`;
}
