import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisSnapshotStore } from '../store/redis-snapshot-store.ts';
import type { StoredSnapshot } from '../store/snapshot.ts';

/** Replicas need about the same time to build; a slower one switches on its own when it is ready. */
const WAIT_MS = 60_000;
const POLL_MS = 25;

/**
 * Makes all replicas prepare a snapshot, waits at most a minute for the live ones, and makes them switch. False when a
 * newer snapshot has replaced it in the meantime. If Redis is unavailable, rejects writes or loses the staged
 * snapshot, this replica switches alone.
 */
export async function switchTogether(
  snapshot: StoredSnapshot,
  redis: RedisSnapshotStore,
  signal: AbortSignal,
  logger: Logger,
): Promise<boolean> {
  if (!redis.isReady) return true;
  const { meta } = snapshot;
  try {
    await redis.announceReady(meta);
    await redis.stage(snapshot);
    const deadline = Date.now() + WAIT_MS;
    while ((await redis.countUnready(meta)) > 0 && Date.now() < deadline) await sleep(POLL_MS, undefined, { signal });
    const outcome = await redis.commit(meta);
    if (outcome === 'missing') logger.warn({ snapshot_id: meta.id }, 'the staged snapshot is missing in Redis');
    return outcome !== 'superseded';
  } catch (error) {
    if (signal.aborted) throw error;
    logger.warn({ err: error }, 'failed to store the snapshot in Redis');
    return true;
  }
}
