import type { Binding, Input, Operation, Reply } from '@agent-fleet/shared/contract/operation';
import { type Caller, readCaller } from '@agent-fleet/shared/http/internal-access';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import { type AuditEntry, appendAudit } from '@agent-fleet/shared/identity/audit';
import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';

/** What a success of each operation is called in the audit trail. */
const ACTIONS: Readonly<Record<string, string>> = {
  createAgent: 'agent.created',
  replaceAgent: 'agent.replaced',
  deleteAgent: 'agent.deleted',
  createTask: 'task.created',
  createTasks: 'tasks.created',
  replaceTask: 'task.replaced',
  deleteTask: 'task.deleted',
  cancelTask: 'task.cancelled',
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
      const entry = toEntry(action as string, caller, input, reply);
      await appendAudit(redis, stream, entry).catch((error: unknown) =>
        logger.error({ err: error, entry }, 'failed to write to the audit trail'),
      );
      return reply;
    }
    return { ...binding, handler };
  };
}

function toEntry(
  action: string,
  { type, id, name }: Caller,
  { params, req }: Input<Operation>,
  reply: Reply,
): AuditEntry {
  const { agent_id, task_id } = params as { agent_id?: string; task_id?: string };
  const created = reply.headers?.location?.split('/').at(-1);
  return {
    actor: { type, id, name },
    action,
    target: { type: action.startsWith('task.') ? 'task' : 'agent', id: created ?? task_id ?? agent_id ?? '' },
    outcome: 'success',
    address: req.headers['x-forwarded-for']?.toString() ?? null,
    request_id: req.headers[REQUEST_ID_HEADER]?.toString() ?? null,
  };
}
