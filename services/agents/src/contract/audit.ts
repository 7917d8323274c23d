import type { Binding, Input, Operation, Reply } from '@agent-fleet/shared/contract/operation';
import { type Caller, readCaller } from '@agent-fleet/shared/http/internal-access';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import { type AuditEntry, appendAudit } from '@agent-fleet/shared/identity/audit';
import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { clientOf } from './client.ts';

/** What a success of each operation is called in the audit trail. */
const ACTIONS: Readonly<Record<string, string>> = {
  createAgent: 'agent.created',
  replaceAgent: 'agent.replaced',
  deleteAgent: 'agent.deleted',
  pauseAgent: 'agent.paused',
  resumeAgent: 'agent.resumed',
  createTask: 'task.created',
  createTasks: 'tasks.created',
  replaceTask: 'task.replaced',
  deleteTask: 'task.deleted',
  cancelTask: 'task.cancelled',
  retryTask: 'task.retried',
  createBulkAction: 'bulk_action.created',
  stopBulkAction: 'bulk_action.stopped',
};

/**
 * The result adds to the binding of an operation that the change of a person, not of an API key, is in the audit trail
 * before the reply. When that fails, the change has happened all the same: the log gets the entry.
 */
export function createAudited(redis: RedisClient, stream: string, logger: Logger) {
  return (binding: Binding): Binding => {
    const action = ACTIONS[binding.operation.id];
    if (action === undefined) return binding;

    async function handler(input: Input<Operation>): Promise<Reply | undefined> {
      const caller = readCaller(input.req);
      const reply = await binding.handler(input);
      if (!reply || !caller || caller.type === 'key' || reply.headers?.['idempotency-replayed']) return reply;
      if (isDryRun(binding.operation, reply)) return reply;
      const entry = toEntry(action as string, caller, input, reply);
      await appendAudit(redis, stream, entry).catch((error: unknown) =>
        logger.error({ err: error, entry }, 'failed to write to the audit trail'),
      );
      return reply;
    }
    return { ...binding, handler };
  };
}

/** A bulk action that is only counted has no Location. */
function isDryRun({ id }: Operation, { headers }: Reply): boolean {
  return id === 'createBulkAction' && headers?.location === undefined;
}

/** The target is the new record, or the last one that the path names. */
function toEntry(
  action: string,
  { type, id, name }: Caller,
  { params, req }: Input<Operation>,
  reply: Reply,
): AuditEntry {
  const [named = ''] = Object.values(params as Record<string, string>).slice(-1);
  const created = reply.headers?.location?.split('/').at(-1);
  const [targetType = ''] = action.split('.');
  return {
    actor: { type, id, name },
    action,
    target: { type: targetType === 'tasks' ? 'agent' : targetType, id: created ?? named },
    outcome: 'success',
    address: clientOf(req),
    request_id: req.headers[REQUEST_ID_HEADER]?.toString() ?? null,
  };
}
