import { MINUTES, PART_OF_MAXIMUM, type Soak, type SoakMinute } from '../gateway/soak.ts';
import { median } from '../load/rounds.ts';
import { table, toMegabytes, verdict } from './markdown.ts';

/** Maximum ratio of the last three minutes to the second to fourth. */
const AIMS = { residentBytes: 1.1, openHandles: 1.05, p99Ms: 1.5 };

export function soakSection({ perSecond, minutes }: Soak): string {
  const failed = minutes.reduce((sum, minute) => sum + minute.failed, 0);
  return `## ${MINUTES} minutes at ${100 * PART_OF_MAXIMUM} % of the maximum

${perSecond} requests/s over 64 connections through one gateway process, with bearer tokens, rate limit and access log. ${failed} failed.

${table(['minute', 'answered', 'failed', 'MB', 'open handles', 'p50 ms', 'p99 ms'], minutes.map(toRow))}

The medians of the last three minutes beside those of the second to the fourth.

${table(['', 'second to fourth', 'last three', 'is', 'aim', ''], toTrendRows(minutes))}`;
}

function toRow({ ok, failed, residentBytes, openHandles, p50Ms, p99Ms }: SoakMinute, at: number): string[] {
  const counts = [at + 1, ok, failed].map(String);
  return [...counts, toMegabytes(residentBytes), String(openHandles), p50Ms.toFixed(2), p99Ms.toFixed(2)];
}

function toTrendRows(minutes: SoakMinute[]): string[][] {
  const row = (name: string, key: keyof typeof AIMS, show: (value: number) => string) => {
    const of = (some: SoakMinute[]) => median(some.map((minute) => minute[key]));
    const [early, late] = [of(minutes.slice(1, 4)), of(minutes.slice(-3))];
    const ratio = late / early;
    return [name, show(early), show(late), `${ratio.toFixed(2)}×`, ...verdict(ratio <= AIMS[key], `≤ ${AIMS[key]}×`)];
  };
  return [
    row('resident MB', 'residentBytes', toMegabytes),
    row('open handles', 'openHandles', String),
    row('p99 ms', 'p99Ms', (ms) => ms.toFixed(2)),
  ];
}
