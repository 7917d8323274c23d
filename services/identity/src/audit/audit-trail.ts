import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { WritePart } from '../redis/commit.ts';
import { type IdentityContext, redisTime } from '../redis/context.ts';
import { GENESIS } from './audit-chain.ts';
import { type StreamEntry, toAuditId } from './audit-event.ts';
import { START } from './audit-store.ts';

const BATCH = 200;
const BLOCK_MS = 1_000;
/** Entries that one step of trimming by number looks at. */
const MAX_TRIMMED = 1_000;

/** How far the log is: the id in the stream of the last entry that it has, and its hash. */
export interface Position {
  id: string;
  hash: string;
}

export type AuditTrail = ReturnType<typeof createAuditTrail>;

/**
 * The audit trail for its log. `reader` is a connection that may block. Only the holder of the lock `token` changes
 * anything, by one script each time.
 */
export function createAuditTrail(
  { redis, writes, keys, commit }: IdentityContext,
  reader: RedisClient,
  { token, lockMs }: { token: string; lockMs: number },
) {
  const lockKey = keys.auditLogLock;

  /** Renews the lock and writes. @throws Conflict when another replica has the lock; nothing is written then */
  async function write(part: WritePart): Promise<void> {
    await commit([{ checks: [['value', lockKey, token]], commands: [['PEXPIRE', lockKey, lockMs]] }, part]);
  }

  async function findLast(): Promise<string | undefined> {
    return (await redis.xrevrange(keys.audit, '+', '-', 'COUNT', 1))[0]?.[0];
  }

  return {
    /** Whether this process is now the one that writes the log. */
    async lock(): Promise<boolean> {
      const claimed = await writes.run((client) => client.set(lockKey, token, 'PX', lockMs, 'NX'));
      if (claimed === 'OK') return true;
      // Still, after an error.
      return (await redis.get(lockKey)) === token;
    },

    async unlock(): Promise<void> {
      await commit([{ checks: [['value', lockKey, token]], commands: [['DEL', lockKey]] }]);
    },

    renew: () => write({}),

    async readPosition(): Promise<Position> {
      const text = await redis.get(keys.auditLog);
      return text === null ? { id: START, hash: GENESIS } : (JSON.parse(text) as Position);
    },

    /** Moves the position from the one that was read. @throws Conflict */
    async advance(before: Position, after: Position): Promise<void> {
      const text = before.id === START && before.hash === GENESIS ? null : JSON.stringify(before);
      await write({
        checks: [['value', keys.auditLog, text]],
        commands: [['SET', keys.auditLog, JSON.stringify(after)]],
      });
    },

    /** The next entries after an id; waits for one for up to a second. */
    async read(after: string): Promise<StreamEntry[]> {
      const found = await reader.xread('COUNT', BATCH, 'BLOCK', BLOCK_MS, 'STREAMS', keys.audit, after);
      return (found?.[0]?.[1] ?? []) as StreamEntry[];
    },

    /** Whether an entry is still stored: then all later ones are. */
    async isKept(id: string): Promise<boolean> {
      return (await redis.xrange(keys.audit, id, id)).length > 0;
    },

    /** Whether the stream ends before an id, which was its last one: it was deleted, or is an older copy. */
    async endsBefore(id: string): Promise<boolean> {
      return isBefore((await findLast()) ?? START, id);
    },

    /** Removes entries older than `days` and beyond the last `count`, except `position` and later ones. */
    async trim({ days, count }: { days: number; count: number }, position: string): Promise<boolean> {
      const excess = Math.min(MAX_TRIMMED, (await redis.xlen(keys.audit)) - count);
      const entries = await redis.xrange(keys.audit, '-', '+', 'COUNT', Math.max(1, excess + 1));
      const [first] = entries[0] ?? [];
      if (first === undefined) return false;
      const oldest = `${Math.max(0, Math.floor((await redisTime(redis)) - days * 86_400_000))}-0`;
      const [kept] = [entries[Math.max(0, excess)]?.[0] ?? first, oldest].sort(compare).reverse();
      const [until] = [kept as string, position].sort(compare);
      if (!isBefore(first, until as string)) return false;
      await write({ commands: [['XTRIM', keys.audit, 'MINID', '=', until as string]] });
      return true;
    },
  };
}

function compare(one: string, other: string): number {
  return toAuditId(one) < toAuditId(other) ? -1 : 1;
}

function isBefore(one: string, other: string): boolean {
  return toAuditId(one) < toAuditId(other);
}
