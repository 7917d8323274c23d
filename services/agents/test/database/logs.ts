import type { Records } from './records.ts';
import type { Snapshot } from './snapshot.ts';

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 5 * 1024 * 1024;

/** Log entries belong to tasks, are numbered without a gap, and count the bytes before them. */
export function logProblems({ logs }: Snapshot, { tasks }: Records): string[] {
  const problems: string[] = [];
  for (const [task, entries] of logs) {
    const what = `the log of task ${task}`;
    if (!tasks.has(task)) problems.push(`${what} has no task`);
    const [first] = entries;
    if (first?.number === 1 && first.b !== '0') problems.push(`${what} starts after ${first.b} bytes`);
    let bytes = Number(first?.b);
    for (const [at, { number, b, x, d = '' }] of entries.entries()) {
      if (number !== (first?.number ?? 0) + at) problems.push(`${what} has a gap before entry ${number}`);
      if (Number(b) !== bytes) problems.push(`entry ${number} of ${what} counts ${b} bytes before it, not ${bytes}`);
      bytes += Buffer.byteLength(String(x)) + Buffer.byteLength(String(d));
    }
    const kept = bytes - Number(first?.b);
    if (entries.length === 0 || entries.length > MAX_ENTRIES) problems.push(`${what} has ${entries.length} entries`);
    if (kept > MAX_BYTES) problems.push(`${what} has ${kept} bytes`);
  }
  return problems;
}
