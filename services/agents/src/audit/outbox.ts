import { MAX_UNTRIMMED } from '@agent-fleet/access/audit';
import { createIdentityKeys } from '@agent-fleet/access/keys';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import { loadScript } from '@agent-fleet/shared/redis/script';
import type { FleetContext } from '../redis/fleet-context.ts';

/** Entries that are moved at once. */
const BATCH = 100;
/** As many as the audit trail keeps by default: about 40 MB. */
const MAX_WAITING = 100_000;

export type AuditOutbox = ReturnType<typeof createAuditOutbox>;

/**
 * Moves entries to the audit trail from the outbox, to which the scripts of changes append them. The trail may be on
 * another node of a Redis Cluster, so that no script can write both. Any number of replicas may move at once: an entry
 * is appended together with its id, if nobody has moved one since the outbox was read (compare-and-set).
 */
export function createAuditOutbox({ config, redis, writes, keys, logger }: FleetContext) {
  const identityKeys = createIdentityKeys(config.redis.prefix);
  const takeEntries = loadScript({ redis, writes }, new URL('take-entries-1.lua', import.meta.url));
  const trailStore = { redis, writes: writes.inSlotOf(identityKeys.replicated) };
  const appendEntries = loadScript(trailStore, new URL('append-entries-2.lua', import.meta.url));
  /** The last entry that was moved, as far as this replica knows. */
  let moved = '';
  /** How many entries the outbox had. */
  let waiting = 0;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function moveAll(): Promise<void> {
    for (;;) {
      const [length, ...found] = (await takeEntries([keys.auditOutbox], [moved, BATCH])) as [number, ...string[]];
      waiting = length;
      const last = found.at(-2);
      if (last === undefined) return;
      const entries = found.filter((_, at) => at % 2 === 1);
      const trail = [identityKeys.audit, identityKeys.auditMoved];
      moved = (await appendEntries(trail, [moved, last, MAX_UNTRIMMED, ...entries])) as string;
      if (moved === last && entries.length < BATCH) return;
    }
  }

  async function tryToMove(): Promise<void> {
    try {
      await moveAll();
    } catch (error) {
      logger[isRedisUnavailable(error) ? 'debug' : 'error']({ err: error }, 'failed to write to the audit trail');
    }
  }

  return {
    /** Whether so many entries wait that people may change nothing. */
    isFull: () => waiting >= MAX_WAITING,

    /** Moves all entries, those of changes before the call among them. Calls at the same time share a run. */
    move(): Promise<void> {
      next ??= running.then(() => {
        next = undefined;
        running = tryToMove();
        return running;
      });
      return next;
    },
  };
}
