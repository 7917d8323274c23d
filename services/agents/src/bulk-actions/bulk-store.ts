import { timeOfId } from '@agent-fleet/shared/ids';
import type { Creator, Origin } from '../contract/callers.ts';
import type { Kept, KeptReply } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import { toTime } from '../tasks/rules/task-state.ts';
import type { TaskFilter } from '../tasks/task-filter.ts';
import type { BulkAction } from './contract.ts';

/** Bulk actions that may run at once. */
const MAX_RUNNING = 100;

export type Failure = BulkAction['failures'][number];

/** What a bulk action is to do. */
export interface BulkPlan {
  action: BulkAction['action'];
  filter: TaskFilter;
  matched: number;
  /** The last task that existed at its creation. */
  until: string;
  /** The principal whose quota of pending tasks counts the retries, if it has one. */
  owner: string | undefined;
  /** Its retries have it. */
  origin: Origin;
  /** Who creates its retries. */
  creator: Creator | undefined;
}

/** A bulk action as stored: with the last task that it has passed, `''` at first. */
export interface StoredBulkAction extends BulkPlan, Omit<BulkAction, 'action'> {
  cursor: string;
}

/** The end of a step. */
interface Advance {
  id: string;
  /** Where the step began. */
  cursor: string;
  next: string;
  /** Tasks that have failed in the step. */
  failed: number;
  /** All failures, if there are others than before. */
  failures?: Failure[];
  done: boolean;
}

export type BulkStore = ReturnType<typeof createBulkStore>;

/** Stores bulk actions. Each change is one script, with its `audit` entry if it has one. */
export function createBulkStore(context: FleetContext) {
  const { redis, keys, clock } = context;
  const createBulkAction = loadFleetScript(context, 'bulk-actions/create-bulk-action');
  const advanceBulkAction = loadFleetScript(context, 'bulk-actions/advance-bulk-action');
  const stopBulkAction = loadFleetScript(context, 'bulk-actions/stop-bulk-action');
  const now = () => toTime(clock.now());

  return {
    async create(
      id: string,
      plan: BulkPlan,
      kept: Kept | undefined,
      audit: string | undefined,
    ): Promise<{ outcome: 'created'; json: string } | { outcome: 'full' } | KeptReply> {
      const json = JSON.stringify({ id, matched: plan.matched });
      const args = { id, max: MAX_RUNNING, kept, audit, fields: Object.entries(toFields(plan)).flat() };
      const [outcome, value] = await createBulkAction(args, kept ? `${kept.bodyDigest} ${json}` : '');
      if (outcome === 'kept') return { outcome, value: value as string };
      return outcome === 'full' ? { outcome } : { outcome: 'created', json };
    },

    async read(id: string): Promise<StoredBulkAction | undefined> {
      const fields = await redis.hgetall(keys.bulkAction(id));
      return fields.state === undefined ? undefined : fromFields(id, fields);
    },

    /** The ids of those that run. */
    listRunning: () => redis.smembers(keys.bulkActions),

    /** Completes a step. False when it is outdated: the action was stopped, or another replica has completed it. */
    async advance({ failures, ...step }: Advance): Promise<boolean> {
      const [outcome] = await advanceBulkAction({
        ...step,
        failures: failures && JSON.stringify(failures),
        at: now(),
      });
      return outcome === 'advanced';
    },

    async stop(id: string, audit: string | undefined): Promise<'stopped' | 'missing' | 'ended'> {
      const [outcome] = await stopBulkAction({ id, at: now(), audit });
      return outcome as 'stopped' | 'missing' | 'ended';
    },
  };
}

function toFields({
  action,
  filter,
  matched,
  until,
  owner,
  origin,
  creator,
}: BulkPlan): Record<string, string | number> {
  return {
    action,
    filter: JSON.stringify(filter),
    until,
    state: 'running',
    matched,
    done: 0,
    failed: 0,
    failures: '[]',
    cursor: '',
    ...(owner !== undefined && { owner }),
    origin: JSON.stringify(origin),
    ...(creator && { creator: JSON.stringify(creator) }),
  };
}

function fromFields(id: string, fields: Record<string, string>): StoredBulkAction {
  return {
    id,
    action: fields.action as BulkAction['action'],
    filter: JSON.parse(fields.filter as string) as TaskFilter,
    until: fields.until as string,
    owner: fields.owner,
    origin: fields.origin ? JSON.parse(fields.origin) : { traceparent: fields.traceparent ?? null, created_by: null },
    creator: fields.creator ? (JSON.parse(fields.creator) as Creator) : undefined,
    state: fields.state as BulkAction['state'],
    matched: Number(fields.matched),
    done: Number(fields.done),
    failed: Number(fields.failed),
    failures: JSON.parse(fields.failures as string) as Failure[],
    cursor: fields.cursor as string,
    created_at: timeOfId(id).toISOString(),
    ended_at: fields.ended_at ?? null,
  };
}
