import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { type FieldError, semanticError } from '@agent-fleet/shared/http/errors';
import { etagOf } from '@agent-fleet/shared/http/etag';
import { isId } from '@agent-fleet/shared/ids';
import { auditOf } from '../audit/audit.ts';
import { makerOf, originOf, PENDING_TASKS, quotaExceeded, quotaOf, tooManySets } from '../contract/callers.ts';
import { agentNotFound, type Missing, notFound, type RequireAgent } from '../contract/parameters.ts';
import type { DefinitionStore } from '../definitions/definition-store.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { FindUnknownSkill } from '../skills/unknown-skills.ts';
import type { createTask } from './contract.ts';
import { type FindDependencies, type Found, toDependencies } from './graphs/dependencies.ts';
import { findTimeProblem, toTask } from './new-task.ts';
import type { FindReferenceProblem } from './references.ts';
import { idsOf } from './rules/task-state.ts';
import { type CreateTasks, toSingleCreation } from './store/task-creator.ts';
import type { Task } from './task.ts';

/** Finds why a task is impossible. */
export type FindProblem = (task: Task) => Promise<FieldError | Missing | undefined>;

export interface CreationParts {
  create: CreateTasks;
  idempotency: Idempotency;
  requireAgent: RequireAgent;
  findProblemOf: FindProblemOf;
  findDependencies: FindDependencies;
  definitions: DefinitionStore;
}

/** Whether tasks may name skills that the registry does not have. */
type FindProblemOf = (query: { allow_unknown_skills?: boolean | undefined }) => FindProblem;

export function createFindProblem(
  findReferenceProblem: FindReferenceProblem,
  findUnknownSkill: FindUnknownSkill,
): FindProblemOf {
  return ({ allow_unknown_skills: allows }) =>
    async (task) =>
      findTimeProblem(task, Date.parse(task.created_at)) ??
      (await findReferenceProblem(task)) ??
      (allows || task.continue_of !== null ? undefined : await findUnknownSkill(task.skills));
}

/** The operation that creates a task. */
export function createCreation({ config }: FleetContext, parts: CreationParts) {
  const { create, idempotency, requireAgent, findProblemOf, findDependencies, definitions } = parts;

  return {
    async create({ params, query, body, req }: Input<typeof createTask>): Promise<Reply> {
      const { agent_id: agentId } = params;
      if (!isId(agentId)) throw agentNotFound();
      const created = await idempotency(
        req,
        (id, kept) =>
          definitions.withCurrent(agentId, async (definition) => {
            const task = toTask(agentId, id, body, { origin: originOf(req, kept?.claim), definition });
            const found = await findDependencies(req, task.after ?? []);
            const after = toDependencies(task.after, found);
            const problem = await findProblemOf(query)(task);
            if (problem) return { outcome: 'impossible', problem } as const;
            if ('path' in after) return { outcome: 'impossible', problem: after } as const;
            const audit = auditOf(req, 'task.created', id, toDetails(agentId, found));
            const dependencies = new Map([[id, after]]);
            const quota = quotaOf(req, config.quotas.pendingTasks);
            const single = { ...toSingleCreation(task, definition), dependencies };
            return create({ ...single, kept, quota, ...makerOf(req), audit });
          }),
        toCreated,
      );
      if (created.outcome === 'created') return toCreated(created.json);
      if (created.outcome === 'replayed') return created.reply;
      if (created.outcome === 'full') throw quotaExceeded(PENDING_TASKS);
      if (created.outcome === 'too many sets') throw tooManySets();
      if (created.outcome !== 'impossible') throw notFound(created);
      await requireAgent(params);
      throw 'outcome' in created.problem ? notFound(created.problem) : semanticError(created.problem);
    },
  };
}

/** What the audit trail says of the dependencies of a task: those of other agents, whose results its worker gets. */
export function toDetails(agentId: string, found: ReadonlyMap<string, Found>): Record<string, string> | undefined {
  const others = [...found.values()].filter((one) => one.agentId !== agentId).map(({ id }) => id);
  return others.length > 0 ? { after: others.join(' ') } : undefined;
}

export function toCreated(json: string): Reply {
  const { agent_id, task_id } = idsOf(json);
  return { status: 201, json, etag: etagOf(json), headers: { location: `/agents/${agent_id}/tasks/${task_id}` } };
}
