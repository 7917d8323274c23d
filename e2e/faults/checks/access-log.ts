import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Ledger } from '../clients/ledger.ts';

/** Each 503 in an access log, which begins in `.1` if it is large, names its cause. */
export function checkAccessLog(ledger: Ledger, file: string): void {
  const parts = [...[`${file}.1`].filter(existsSync), file];
  const unnamed = parts.flatMap((part) => readFileSync(part, 'utf8').split('\n').filter(hasNoCause));
  if (unnamed.length > 0)
    ledger.violate(`${basename(file)}: ${unnamed.length} lines of a 503 do not name its cause: ${unnamed[0]}`);
}

function hasNoCause(line: string): boolean {
  if (!line.includes('"status":503')) return false;
  try {
    const { status, rejected_by } = JSON.parse(line) as { status?: number; rejected_by?: string };
    return status === 503 && (!rejected_by || rejected_by === 'service');
  } catch {
    // A kill has cut the line off.
    return false;
  }
}
