import type { LogEntriesResults } from '../fleet/log-entries.ts';
import { spaced, table, verdict } from './markdown.ts';

const LINES_PER_SECOND_AIM = 2_000;
const DELAY_AIM_MS = 200;

export function logEntriesSection({ workers, followers, linesPerSecond, delay, percents }: LogEntriesResults): string {
  const rate = Math.round(linesPerSecond);
  return `## Log lines of ${workers} workers, followed by ${followers} clients

Through the gateway, in batches of ten lines of 100 bytes. The delay is from just before a batch is sent until a client that follows
the log by Server-Sent Events has the line.

${table(
  ['', 'measured', 'aim', ''],
  [
    ['lines/s', spaced(rate), ...verdict(rate >= 0.98 * LINES_PER_SECOND_AIM, spaced(LINES_PER_SECOND_AIM))],
    ['delay p50, ms', delay.p50Ms.toFixed(1), '', ''],
    ['delay p99, ms', delay.p99Ms.toFixed(1), ...verdict(delay.p99Ms <= DELAY_AIM_MS, `≤ ${DELAY_AIM_MS}`)],
    ...[...percents].map(([name, percent]) => [`${name}, % of a core`, percent.toFixed(0), '', '']),
  ],
)}`;
}
