import { createInterface } from 'node:readline';
import { chainHash } from './audit-chain.ts';

/** Hashes to recognise repeated lines by: a killed process repeats one batch at most. */
const MAX_REMEMBERED = 10_000;

interface AuditLine {
  audit: unknown;
  audit_hash: string;
  previous_hash: string;
}

interface Verification {
  entries: number;
  /** Lines that were written again after a process was killed. */
  repeated: number;
  /** Gaps that the service itself has reported. */
  gaps: number;
  /** The hash of the last entry. */
  last: string | undefined;
  /** The first line that does not continue the chain, from 1, and why. */
  broken?: { line: number; problem: string };
}

/**
 * Verifies exported lines of the log, in their order: each must have the hash of the one before, and its own. Other
 * lines are skipped. The first line may have any previous hash, so that an export may begin anywhere.
 */
export async function verifyLog(lines: AsyncIterable<string> | Iterable<string>): Promise<Verification> {
  const seen = new Set<string>();
  const found: Verification = { entries: 0, repeated: 0, gaps: 0, last: undefined };
  let number = 0;
  for await (const text of lines) {
    number++;
    const line = parse(text);
    if (line === undefined) continue;
    if ('audit_gap' in line) {
      found.gaps++;
      continue;
    }
    const problem = findProblem(line, found.last, seen);
    if (problem !== undefined) return { ...found, broken: { line: number, problem } };
    if (seen.has(line.audit_hash)) {
      found.repeated++;
      continue;
    }
    found.entries++;
    found.last = line.audit_hash;
    seen.add(line.audit_hash);
    if (seen.size > MAX_REMEMBERED) seen.delete(seen.values().next().value as string);
  }
  return found;
}

function findProblem(line: AuditLine, last: string | undefined, seen: Set<string>): string | undefined {
  if (chainHash(line.previous_hash, line.audit) !== line.audit_hash) return 'the entry does not match its hash';
  if (last === undefined || line.previous_hash === last || seen.has(line.audit_hash)) return undefined;
  return 'the entry does not continue the one before';
}

/** Undefined for a line that is not about the audit trail. */
function parse(text: string): AuditLine | (AuditLine & { audit_gap: unknown }) | undefined {
  try {
    const line = JSON.parse(text);
    const isAudit = line !== null && typeof line === 'object' && ('audit_hash' in line || 'audit_gap' in line);
    return isAudit ? line : undefined;
  } catch {
    return undefined;
  }
}

// node services/identity/src/audit/verify-log.ts < log
if (import.meta.main) {
  const { broken, ...found } = await verifyLog(createInterface({ input: process.stdin }));
  console.log(JSON.stringify(found));
  if (broken) {
    console.error(`line ${broken.line}: ${broken.problem}`);
    process.exitCode = 1;
  }
}
