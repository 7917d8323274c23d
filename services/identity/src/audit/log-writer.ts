import { type Logger, untilWritten } from '@agent-fleet/shared/logger';
import type { IdentityConfig } from '../config.ts';
import { chainHash } from './audit-chain.ts';
import { type StreamEntry, toAuditEvent, toAuditId } from './audit-event.ts';
import { START } from './audit-store.ts';
import type { AuditTrail, Position } from './audit-trail.ts';

/** Old entries may go even when there are no new ones. */
const TRIM_EVERY_MS = 60_000;
/** Shorter than the life of the lock. */
const WRITTEN_WITHIN_MS = 5_000;

/** Writes the log of the audit trail, for the holder of the lock. */
export function createLogWriter(trail: AuditTrail, retention: IdentityConfig['audit'], logger: Logger) {
  let trimmedAt = Number.NEGATIVE_INFINITY;
  /** The entry after which a gap was reported. */
  let reported: string | undefined;

  /** Writes a line for each entry, and returns the position after them. */
  function log(entries: StreamEntry[], { hash }: Position): Position {
    let previous_hash = hash;
    for (const entry of entries) {
      const audit = toAuditEvent(entry);
      const audit_hash = chainHash(previous_hash, audit);
      logger.info({ audit, audit_hash, previous_hash }, 'audit');
      previous_hash = audit_hash;
    }
    return { id: (entries.at(-1) as StreamEntry)[0], hash: previous_hash };
  }

  /** The last entry of the log is never removed from the trail here: without it, others may be missing too. */
  function reportGap({ id }: Position, next: string | undefined): void {
    if (id === START || id === reported) return;
    reported = id;
    const audit_gap = { after: toAuditId(id), next: next === undefined ? null : toAuditId(next) };
    logger.warn({ audit_gap }, 'audit entries were lost before they were logged');
  }

  async function trim({ id }: Position): Promise<void> {
    while (await trail.trim(retention, id));
    trimmedAt = performance.now();
  }

  return {
    /** Writes the next entries, or waits for one for up to a second. @throws Conflict when the lock is lost */
    async step(): Promise<void> {
      const before = await trail.readPosition();
      const entries = await trail.read(before.id);
      const [first] = entries;
      if (first === undefined) {
        await trail.renew();
        if (performance.now() - trimmedAt > TRIM_EVERY_MS) await trim(before);
        if (!(await trail.endsBefore(before.id))) return;
        reportGap(before, undefined);
        // New entries may have lower ids than those that were lost.
        await trail.advance(before, { id: START, hash: before.hash });
        return;
      }
      if (!(await trail.isKept(before.id))) reportGap(before, first[0]);
      const after = log(entries, before);
      if (logger.isLevelEnabled('info')) await untilWritten(logger, WRITTEN_WITHIN_MS);
      // Only now: a crash before repeats lines, and loses none.
      await trail.advance(before, after);
      await trim(after);
    },
  };
}
