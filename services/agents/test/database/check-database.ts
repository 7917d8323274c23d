import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Claim } from '../../src/idempotency/idempotency.ts';
import type { Keys } from '../../src/redis/keys.ts';
import { budgetProblems } from './budgets.ts';
import { bulkActionProblems } from './bulk-actions.ts';
import { conversationProblems } from './conversations.ts';
import { edgeProblems } from './edges.ts';
import { eventProblems } from './events.ts';
import { indexProblems } from './indexes.ts';
import { laneProblems } from './lanes.ts';
import { logProblems } from './logs.ts';
import { needsProblems } from './needs.ts';
import { parseRecords } from './records.ts';
import { seriesProblems } from './series.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';
import { spendProblems } from './spend.ts';
import { spendOverTimeProblems } from './spend-over-time.ts';
import { usageProblems } from './usage.ts';
import { workerProblems } from './workers.ts';

const SHOWN = 20;
const DEFAULT_RETENTION_MS = 7 * 86_400_000;

interface Options {
  /** `TASK_RETENTION_SECONDS` of the service, default seven days. */
  retentionMs?: number;
}

/**
 * Derives every index, queue, timer and link of events from the records and compares it with what is stored. Returns
 * what is wrong: nothing at any moment, as each change is one script. Nobody may change what it reads meanwhile.
 */
export async function checkDatabase(redis: RedisClient, keys: Keys, options: Options = {}): Promise<string[]> {
  const snapshot = await readSnapshot(redis, keys);
  const problems = findProblems(snapshot, keys, options);
  const left = problems.length - SHOWN;
  return left > 0 ? [...problems.slice(0, SHOWN), `and ${left} more`] : problems;
}

function findProblems(snapshot: Snapshot, keys: Keys, { retentionMs = DEFAULT_RETENTION_MS }: Options): string[] {
  const problems = snapshot.unknown.map((key) => `nobody knows the key ${key}`);
  const records = parseRecords(snapshot, problems);
  return [
    ...problems,
    ...indexProblems(snapshot, records, { keys, retentionMs }),
    ...eventProblems(snapshot, records),
    ...conversationProblems(snapshot, records),
    ...logProblems(snapshot, records),
    ...replyProblems(snapshot, keys),
    ...budgetProblems(snapshot),
    ...usageProblems(snapshot, records),
    ...seriesProblems(snapshot, records, keys),
    ...spendProblems(snapshot, records, keys),
    ...spendOverTimeProblems(snapshot, records, keys),
    ...bulkActionProblems(snapshot, keys),
    ...workerProblems(snapshot, records),
    ...needsProblems(snapshot, records, keys),
    ...laneProblems(snapshot, records, keys),
    ...edgeProblems(snapshot, records),
  ];
}

/** A stored reply to a creation belongs to a record that was created, the claim of a batch to one that is to be. */
function replyProblems({ replies, fleetEvents, bulkActions, batches }: Snapshot, keys: Keys): string[] {
  // The reply of a batch is kept when it begins.
  if (replies.size === 0 || batches.size > 0 || (fleetEvents[0]?.number ?? 1) > 1) return [];
  const created = new Set(fleetEvents.flatMap(({ a, t, y }) => (String(y).endsWith('.created') ? [t || a] : [])));
  return [...replies].flatMap(([key, text]) => {
    const body = text.slice(text.indexOf(' ') + 1);
    if (body.startsWith('@')) {
      const { next } = JSON.parse(body.slice(1)) as Claim;
      return next && created.has(next) ? [`the batch ${key} is to create ${next}, which was created`] : [];
    }
    const { id, results } = JSON.parse(body) as { id?: string; results?: { task?: { id: string } }[] };
    if (id !== undefined && bulkActions.has(keys.bulkAction(id))) return [];
    const ids = id === undefined ? (results ?? []).flatMap(({ task }) => task?.id ?? []) : [id];
    return ids
      .filter((one) => !created.has(one))
      .map((one) => `the reply ${key} is about ${one}, which was not created`);
  });
}
