import type { BeforeResults } from '../gateway/commit-before.ts';
import type { SignInResults } from '../gateway/sign-ins.ts';
import { describeRounds, figureCells, table, verdict } from './markdown.ts';

const MAX_SLOWER = 1.03;
const MAX_SIGN_INS = 4 / 3;

export function beforeSection({ ref, figures, rounds }: BeforeResults): string {
  const now = figures.get('now');
  const before = figures.get('before');
  if (!now || !before) throw new Error('There are no figures');
  const ratio = now.processorUs / before.processorUs;
  return `## The gateway beside that of an earlier commit

The commit before is \`${ref}\`. Processor time of a request with a bearer token, a response of 127 bytes, both gateways in turn.
${describeRounds(rounds)}

${table(
  ['', 'µs of processor time', 'requests/s', 'p50 ms', 'p99 ms', 'now is', 'aim', ''],
  [
    ['before', before.processorUs.toFixed(1), ...figureCells(before), '', '', ''],
    [
      'now',
      now.processorUs.toFixed(1),
      ...figureCells(now),
      `${ratio.toFixed(3)}×`,
      ...verdict(ratio <= MAX_SLOWER, `≤ ${MAX_SLOWER}×`),
    ],
  ],
)}`;
}

export function signInsSection({ perSecond, quietMs, busyMs, signInsMs }: SignInResults): string {
  const ratio = busyMs / quietMs;
  return `## 100 sign-ins at once

${perSecond} requests/s through the gateway, a third of its maximum; in every other round, 100 sign-ins arrive at once at identity on the
same machine. They took ${(signInsMs / 1_000).toFixed(1)} s.

${table(
  ['p99 of proxied requests', 'ms', 'is', 'aim', ''],
  [
    ['without sign-ins', quietMs.toFixed(2), '', '', ''],
    [
      'with them',
      busyMs.toFixed(2),
      `${ratio.toFixed(2)}×`,
      ...verdict(ratio <= MAX_SIGN_INS, `≤ ${MAX_SIGN_INS.toFixed(2)}×`),
    ],
  ],
)}`;
}
