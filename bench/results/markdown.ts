import { cpus, release, totalmem, type } from 'node:os';
import type { Figures } from '../load/load.ts';
import type { Rounds } from '../load/metered.ts';

/** The first column is text, the others are numbers. */
export function table(head: string[], rows: string[][]): string {
  const lines = [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Cells for an upper or lower bound: the aim, and whether it is met. */
export function verdict(isMet: boolean, aim: string): string[] {
  return [aim, isMet ? 'met' : '**missed**'];
}

/** Cells for a ratio that must be at least `aim`. */
export function ratioVerdict(ratio: number, aim: number): string[] {
  return [`${ratio.toFixed(2)}×`, ...verdict(ratio >= aim, `≥ ${aim}×`)];
}

/** Cells for requests per second, p50 and p99. */
export function figureCells({ perSecond, p50Ms, p99Ms }: Figures): string[] {
  return [perSecond.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1)];
}

/**
 * A row with the processor time of one `JSON.parse` of the registry's source file, in one of `columns`, because rates
 * and times can be compared between machines as multiples of it.
 */
export function calibrationRow(parseSeconds: number, columns: number, column: number): string[] {
  const cells = Array.from({ length: columns }, () => '');
  return cells.with(0, '`JSON.parse` of the source file').with(column, (parseSeconds * 1_000).toFixed(0));
}

/** Says whether other processes disturbed the rounds. */
export function describeRounds({ rounds, disturbed }: Rounds): string {
  return disturbed === 0
    ? 'In none of the rounds did other processes take more than 0.2 of a core.'
    : `In ${disturbed} of ${rounds} rounds, other processes took more than 0.2 of a core, after three repeats too.`;
}

/** Groups digits by spaces: 1 000 000 */
export function spaced(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ');
}

export function toMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

/** 2026-11-21 */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

export function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()} ${release()}`;
}
