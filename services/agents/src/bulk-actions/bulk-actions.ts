import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { isId, timeOfId } from '@agent-fleet/shared/ids';
import { auditOf } from '../audit/audit.ts';
import { creatorOf, originOf, quotaOf } from '../contract/callers.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { toTime } from '../tasks/rules/task-state.ts';
import { TASK_STATUSES } from '../tasks/task.ts';
import type { TaskFilter } from '../tasks/task-filter.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { BulkRunner } from './bulk-runner.ts';
import { type BulkStore, createBulkStore, type StoredBulkAction } from './bulk-store.ts';
import {
  type BulkAction,
  type BulkFilter,
  bulkActionEnded,
  bulkActionNotFound,
  type createBulkAction,
  type readBulkAction,
  type stopBulkAction,
  tooManyBulkActions,
} from './contract.ts';

/** The statuses of the tasks that each action can change. */
const CHANGEABLE: Record<BulkAction['action'], readonly string[]> = {
  cancel: ['pending', 'running', 'input_required'],
  retry: ['completed', 'failed', 'cancelled'],
  delete: ['completed', 'failed', 'cancelled'],
};

interface BulkParts {
  tasks: Tasks;
  idempotency: Idempotency;
  /** Begins to run those that were created. */
  start: () => void;
}

export function createBulkActions(context: FleetContext, parts: BulkParts) {
  const store = createBulkStore(context);
  return { operations: createOperations(context, store, parts), runner: new BulkRunner(context, store, parts.tasks) };
}

function createOperations({ config, redis, keys }: FleetContext, store: BulkStore, parts: BulkParts) {
  const { tasks, idempotency, start } = parts;

  /** Counts the tasks that match and exist already. */
  async function plan(action: BulkAction['action'], given: BulkFilter) {
    const filter = toTaskFilter(action, given);
    const [until = ''] = await redis.zrange(keys.tasks(), -1, '-1');
    const before = until === '' ? 0 : timeOfId(until).getTime() + 1;
    const created_before = earlier(filter.created_before, toTime(before));
    return { action, filter, until, matched: await tasks.search.countMatching({ ...filter, created_before }) };
  }

  async function read(id: string): Promise<Reply> {
    const found = isId(id) ? await store.read(id) : undefined;
    if (!found) throw bulkActionNotFound();
    return json(toBulkAction(found));
  }

  return {
    async create({ body, req }: Input<typeof createBulkAction>): Promise<Reply> {
      const planned = await plan(body.action, body.filter);
      if (body.dry_run) return json({ matched: planned.matched });
      const owner = quotaOf(req, config.quotas.pendingTasks)?.owner;
      const full = { ...planned, owner, origin: originOf(req), creator: creatorOf(req) };
      const create = (id: string, kept: Parameters<BulkStore['create']>[2]) =>
        store.create(id, full, kept, auditOf(req, 'bulk_action.created', id));
      const created = await idempotency(req, create, toCreated);
      if (created.outcome === 'full') throw tooManyBulkActions();
      if (created.outcome === 'replayed') return created.reply;
      start();
      return toCreated(created.json);
    },

    read: ({ params }: Input<typeof readBulkAction>): Promise<Reply> => read(params.id),

    async stop({ params, req }: Input<typeof stopBulkAction>): Promise<Reply> {
      const audit = auditOf(req, 'bulk_action.stopped', params.id);
      const outcome = isId(params.id) ? await store.stop(params.id, audit) : 'missing';
      if (outcome === 'missing') throw bulkActionNotFound();
      if (outcome === 'ended') throw bulkActionEnded();
      return read(params.id);
    },
  };
}

function toCreated(text: string): Reply {
  const { id } = JSON.parse(text) as { id: string };
  return { status: 202, json: text, headers: { location: `/bulk-actions/${id}` } };
}

/** The conditions as a search takes them, only for tasks that the action can change. */
function toTaskFilter(action: BulkAction['action'], { status, ...others }: BulkFilter): TaskFilter {
  const given: readonly string[] = typeof status === 'string' ? status.split(',') : (status ?? TASK_STATUSES);
  const conditions = Object.entries(others).filter(([, value]) => value != null);
  return { ...Object.fromEntries(conditions), status: CHANGEABLE[action].filter((one) => given.includes(one)) };
}

function earlier(time: string | undefined, other: string): string {
  return time !== undefined && time < other ? time : other;
}

/** Tasks that came to match later count as matched too. */
function toBulkAction({ id, action, state, matched, done, failed, ...others }: StoredBulkAction): BulkAction {
  const { failures, created_at, ended_at } = others;
  const counts = { matched: Math.max(matched, done + failed), done, failed };
  return { id, action, state, ...counts, failures, created_at, ended_at };
}
