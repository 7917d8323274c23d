import type { FieldError } from '@agent-fleet/shared/http/errors';
import type { Request } from 'express';
import { auditOf } from '../../audit/audit.ts';
import { makerOf, originOf, quotaOf } from '../../contract/callers.ts';
import { idInBatch } from '../../contract/ids.ts';
import type { DefinitionStore } from '../../definitions/definition-store.ts';
import type { Kept } from '../../idempotency/idempotency.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { toRetry } from '../new-task.ts';
import { takeOver } from '../rules/dependencies.ts';
import type { Dependency, StoredTask } from '../rules/task-state.ts';
import type { TaskReader } from '../store/task-reader.ts';
import type { TaskInput } from '../task.ts';
import type { BatchStore, Planned } from './batch-store.ts';
import { type FindDependencies, type Found, toDependencies } from './dependencies.ts';
import { sortPlanned } from './graph-creation.ts';

/** Tasks that one request retries. */
const MAX_TASKS = 500;

interface RetryParts {
  reader: TaskReader;
  findDependencies: FindDependencies;
  definitions: DefinitionStore;
  batches: BatchStore;
}

interface Retried {
  id: string;
  kept: Kept | undefined;
  body: Partial<Pick<TaskInput, 'message' | 'input' | 'after'>> & { agent_version?: 'latest' | undefined };
}

export type GraphRetries = ReturnType<typeof createGraphRetries>;

/** Finds what the retry of a task comes after, and retries that, too. */
export function createGraphRetries({ redis, keys, config }: FleetContext, parts: RetryParts) {
  const { reader, findDependencies, definitions, batches } = parts;

  /** What a retry takes over, and what the ended task came after besides; or that the caller may not read one. */
  async function split(req: Request, ended: StoredTask) {
    const { taken, missing } = takeOver(ended);
    const found = await findDependencies(req, ended.task.after ?? []);
    for (const { id } of taken) {
      // Without a record there is no result, either.
      if (!found.has(id) && (await redis.exists(keys.task(id))) > 0) return toProblem('unknown_dependency', id);
    }
    const left = missing.map(
      ({ status: _, ...one }) => ({ ...one, ...found.get(one.id) }) as Dependency & Partial<Found>,
    );
    const isGoing = ({ current }: Partial<Found>) => current !== undefined && !/failed|cancelled/.test(current);
    const going = left.filter(isGoing).map(toDependency);
    return { after: [...taken, ...going], failed: left.filter((one) => !isGoing(one)) };
  }

  /** A plan of the retries of a task and of what it came after, all with new ids. */
  async function plan(req: Request, root: StoredTask, { id, kept, body }: Retried): Promise<Planned[] | FieldError> {
    const ids = new Map([[root.task.id, idInBatch(id, 0)]]);
    const open = [root];
    const planned: Planned[] = [];
    for (const ended of open) {
      const parted = await split(req, ended);
      if ('path' in parted) return parted;
      const after = [...parted.after];
      for (const { id: before, key, agentId = '' } of parted.failed) {
        if (!ids.has(before)) {
          const found = await reader.readForChange(agentId, before);
          if (found.outcome !== 'found') return toProblem('unknown_dependency', before);
          if (ids.size === MAX_TASKS) return { path: 'with_dependencies', ...TOO_MANY };
          ids.set(before, idInBatch(id, ids.size));
          open.push(found);
        }
        after.push({ id: ids.get(before) as string, ...(key !== undefined && { key }) });
      }
      const isLatest = ended === root && body.agent_version === 'latest';
      const old = await definitions.readOf(ended.task);
      const { agent_id } = ended.task;
      const agent_version = isLatest ? await definitions.readCurrent(agent_id) : undefined;
      const definition = isLatest ? await definitions.readOf({ agent_id, agent_version }) : old;
      const versions = { before: old, after: definition, origin: originOf(req, kept?.claim) };
      const changes = ended === root ? { message: body.message, input: body.input } : {};
      const names = after.map((one) => one.id);
      const task = toRetry(ended.task, ids.get(ended.task.id) as string, versions, { ...changes, after: names });
      planned.push({ task, definition, after });
    }
    return planned;
  }

  return {
    /** What the retry of a task comes after; `given`: in place of what has not completed. */
    async findAfter(
      req: Request,
      ended: StoredTask,
      given: readonly string[] | undefined,
    ): Promise<Dependency[] | FieldError> {
      const parted = await split(req, ended);
      if ('path' in parted) return parted;
      const [failed] = parted.failed;
      if (given === undefined) return failed ? toProblem('dependency_failed', failed.id) : parted.after;
      const added = toDependencies(given, await findDependencies(req, given));
      if ('path' in added) return added;
      return [...new Map([...takeOver(ended).taken, ...added].map((one) => [one.id, one])).values()];
    },

    /** Retries a task with what it came after that has not completed. */
    async begin(req: Request, root: StoredTask, retried: Retried) {
      const planned = await plan(req, root, retried);
      if ('path' in planned) return { outcome: 'impossible', problem: planned } as const;
      const { id, kept } = retried;
      const json = JSON.stringify(planned[0]?.task);
      const begun = await batches.begin({
        ...{ id, json, kept, planned: sortPlanned(planned), keepVersion: true, ...makerOf(req) },
        quota: quotaOf(req, config.quotas.pendingTasks),
        audit: planned.map(({ task }) => auditOf(req, 'task.retried', task.id)),
      });
      if (begun.outcome === 'begun') await batches.run(id);
      if (begun.outcome === 'begun') return { outcome: 'created', json } as const;
      return begun.outcome === 'missing' || begun.outcome === 'redefined'
        ? ({ outcome: 'agent missing' } as const)
        : begun;
    },
  };
}

const toDependency = ({ id, key, status }: Dependency): Dependency => ({
  id,
  ...(key !== undefined && { key }),
  ...(status && { status }),
});

const TOO_MANY = { code: 'too_many_tasks', message: `would retry more than ${MAX_TASKS} tasks` };

function toProblem(code: 'unknown_dependency' | 'dependency_failed', id: string): FieldError {
  const message =
    code === 'unknown_dependency'
      ? `the task came after one that is unknown: ${id}`
      : `name others, or retry with_dependencies: the task came after one that has not completed: ${id}`;
  return { path: 'after', code, message };
}
