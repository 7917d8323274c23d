import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { httpError, semanticError } from '@agent-fleet/shared/http/errors';
import { auditOf } from '../audit/audit.ts';
import { makerOf, originOf, PENDING_TASKS, quotaExceeded, quotaOf, tooManySets } from '../contract/callers.ts';
import { notFound } from '../contract/parameters.ts';
import type { Definition } from '../definitions/definition.ts';
import type { DefinitionStore } from '../definitions/definition-store.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { toCreated } from './creation.ts';
import type { GraphRetries } from './graphs/graph-retries.ts';
import { toRetry } from './new-task.ts';
import type { retryTask } from './retry-contract.ts';
import { isEnded } from './rules/task-rules.ts';
import { type CreateTasks, toSingleCreation } from './store/task-creator.ts';
import type { TaskReader } from './store/task-reader.ts';

interface RetryParts {
  reader: TaskReader;
  create: CreateTasks;
  idempotency: Idempotency;
  definitions: DefinitionStore;
  graphRetries: GraphRetries;
}

/** The operation that creates a task like one that has ended. */
export function createRetries(
  { config }: FleetContext,
  { reader, create, idempotency, definitions, graphRetries }: RetryParts,
) {
  return {
    async retry({ params, body, req }: Input<typeof retryTask>): Promise<Reply> {
      const { agent_id: agentId, task_id: taskId } = params;
      const created = await idempotency(
        req,
        async (id, kept) => {
          const found = await reader.readForChange(agentId, taskId);
          if (found.outcome !== 'found') return found;
          const { task: ended } = found;
          if (!isEnded(ended)) return { outcome: 'not ended', status: ended.status } as const;
          const { agent_version, with_dependencies, ...given } = body ?? {};
          if (with_dependencies) return graphRetries.begin(req, found, { id, kept, body: body ?? {} });
          const after = await graphRetries.findAfter(req, found, given.after);
          if ('path' in after) return { outcome: 'impossible', problem: after } as const;
          const dependencies = new Map([[id, after]]);
          const changes = { ...given, after: after.map((one) => one.id) };
          const isLatest = agent_version === 'latest';
          const before = await definitions.readOf(ended);
          const retry = (version: Definition | null) => {
            const task = toRetry(ended, id, { origin: originOf(req, kept?.claim), before, after: version }, changes);
            const quota = quotaOf(req, config.quotas.pendingTasks);
            const audit = auditOf(req, 'task.retried', id);
            const single = { ...toSingleCreation(task, version), dependencies };
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
      if (created.outcome === 'impossible') throw semanticError(created.problem);
      if (created.outcome !== 'not ended') throw notFound(created);
      throw httpError('task_not_ended', `The task is ${created.status}: only an ended task can be retried`);
    },
  };
}
