import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { httpError } from '@agent-fleet/shared/http/errors';
import { auditOf } from '../audit/audit.ts';
import { makerOf, originOf, PENDING_TASKS, quotaExceeded, quotaOf, tooManySets } from '../contract/callers.ts';
import { parseRecord } from '../contract/fields.ts';
import { notFound } from '../contract/parameters.ts';
import type { Definition } from '../definitions/definition.ts';
import type { DefinitionStore } from '../definitions/definition-store.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { toCreated } from './creation.ts';
import { toRetry } from './new-task.ts';
import type { retryTask } from './retry-contract.ts';
import { isEnded } from './rules/task-rules.ts';
import { type CreateTasks, toSingleCreation } from './store/task-creator.ts';
import type { TaskReader } from './store/task-reader.ts';
import type { Task } from './task.ts';

interface RetryParts {
  reader: TaskReader;
  create: CreateTasks;
  idempotency: Idempotency;
  definitions: DefinitionStore;
}

/** The operation that creates a task like one that has ended. */
export function createRetries({ config }: FleetContext, { reader, create, idempotency, definitions }: RetryParts) {
  return {
    async retry({ params, body, req }: Input<typeof retryTask>): Promise<Reply> {
      const { agent_id: agentId, task_id: taskId } = params;
      const created = await idempotency(
        req,
        async (id, kept) => {
          const found = await reader.read(agentId, taskId);
          if (found.outcome !== 'found') return found;
          const ended = parseRecord(found.json) as Task;
          if (!isEnded(ended)) return { outcome: 'not ended', status: ended.status } as const;
          const { agent_version, ...changes } = body ?? {};
          const isLatest = agent_version === 'latest';
          const before = await definitions.readOf(ended);
          const retry = (after: Definition | null) => {
            const task = toRetry(ended, id, { origin: originOf(req, kept?.claim), before, after }, changes);
            const quota = quotaOf(req, config.quotas.pendingTasks);
            const audit = auditOf(req, 'task.retried', id);
            const single = toSingleCreation(task, after);
            return create({ ...single, keepVersion: !isLatest, kept, quota, ...makerOf(req), audit });
          };
          return isLatest ? definitions.withCurrent(agentId, retry) : retry(before);
        },
        toCreated,
      );
      if (created.outcome === 'created') return toCreated(created.json);
      if (created.outcome === 'replayed') return created.reply;
      if (created.outcome === 'full') throw quotaExceeded(PENDING_TASKS);
      if (created.outcome === 'too many sets') throw tooManySets();
      if (created.outcome !== 'not ended') throw notFound(created);
      throw httpError('task_not_ended', `The task is ${created.status}: only an ended task can be retried`);
    },
  };
}
