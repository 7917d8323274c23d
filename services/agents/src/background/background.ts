import { connectQueueRedis } from '@agent-fleet/shared/redis/connection';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import { RecurringJob } from '@agent-fleet/shared/redis/recurring-job';
import type { Purge } from '../agents/agents.ts';
import type { AuditOutbox } from '../audit/outbox.ts';
import type { BulkRunner } from '../bulk-actions/bulk-runner.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { BatchStore } from '../tasks/graphs/batch-store.ts';
import type { Handovers } from '../tasks/graphs/handovers.ts';

const NAME = 'background';
/** Runs on this replica, so that a long one does not delay what begins. */
const CONCURRENCY = 2;
const EVERY_MS = 5_000;
/** Share of the time between two runs that a run may take. */
const RUN_SHARE = 0.8;

interface Parts {
  purge: Purge;
  handovers: Handovers;
  batches: BatchStore;
  bulkRunner: BulkRunner;
  outbox: AuditOutbox;
  /** Begins the next periods of budgets. */
  rollBudgets: () => Promise<void>;
  /** In ms, for tests. */
  everyMs: number | undefined;
}

/** The removal of an agent's tasks, by the id of the agent, a bulk action, or the outbox of the audit trail. */
interface Change {
  id: string;
  /** Resolves with true when steps are left that this replica should continue at once. */
  continueSteps(id: string, signal: AbortSignal): Promise<unknown>;
}

/**
 * Continues the removal of deleted agents' tasks, bulk actions, and the moves of audit entries that a killed replica
 * has left, creates the rest of batches, and tells tasks that wait for others how these have ended, by a BullMQ job on
 * one replica: every few seconds, and when `start` is called.
 */
export function startBackground(
  context: FleetContext,
  { purge, handovers, batches, bulkRunner, outbox, rollBudgets, everyMs = EVERY_MS }: Parts,
) {
  const { config, redis, keys, logger, metrics } = context;
  const closing = new AbortController();
  const job = new RecurringJob({
    name: NAME,
    prefix: keys.queues,
    everyMs,
    concurrency: CONCURRENCY,
    connect: () => connectQueueRedis(config.redis.url, logger),
    run,
    // A run may have ended early because of a failover.
    onReady: () => void job.start(),
    onRestart: metrics.countQueueRestart,
    logger,
  });

  /** What this replica changes. */
  const inProgress = new Set<string>();

  /** The changes share the time of a run, so that a long one does not delay others. Each takes at least a step. */
  async function run(): Promise<void> {
    const end = performance.now() + RUN_SHARE * everyMs;
    const changes = (await listChanges()).filter(({ id }) => !inProgress.has(id));
    let isLeft = false;
    for (const [at, { id, continueSteps }] of changes.entries()) {
      const leftMs = end - performance.now();
      if (leftMs <= 0) break;
      if (inProgress.has(id)) continue;
      inProgress.add(id);
      const share = AbortSignal.timeout(Math.ceil(leftMs / (changes.length - at)));
      try {
        const isUnfinished = await continueSteps(id, AbortSignal.any([share, closing.signal]));
        isLeft ||= isUnfinished === true;
      } catch (error) {
        if (isRedisUnavailable(error)) throw error;
        logger.error({ err: error, id }, 'failed to continue a change of tasks');
      } finally {
        inProgress.delete(id);
      }
    }
    if (isLeft && !closing.signal.aborted) await start();
  }

  async function listChanges(): Promise<Change[]> {
    const [purges, begun, bulkActions] = await Promise.all([
      redis.hkeys(keys.purges),
      batches.list(),
      bulkRunner.listRunning(),
    ]);
    return [
      { id: 'budgets', continueSteps: rollBudgets },
      { id: 'audit-outbox', continueSteps: outbox.move },
      { id: 'handovers', continueSteps: handovers.run },
      ...purges.map((id) => ({ id, continueSteps: purge })),
      ...begun.map((id) => ({ id, continueSteps: batches.run })),
      ...bulkActions.map((id) => ({
        id,
        continueSteps: (action: string, signal: AbortSignal) => bulkRunner.run(action, signal),
      })),
    ];
  }

  /** Begins a run at once, on any replica. */
  const start = () => job.start();

  return {
    start,

    /** Waits at most 2 s for a running job. */
    async close(): Promise<void> {
      closing.abort();
      await job.close();
    },
  };
}
