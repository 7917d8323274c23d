import { ifMatch, isMatch, preconditionFailed } from '@agent-fleet/shared/contract/conditions';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { type FieldError, httpError, semanticError, validationError } from '@agent-fleet/shared/http/errors';
import { etagOf } from '@agent-fleet/shared/http/etag';
import { auditOf } from '../audit/audit.ts';
import { principalOf, tooManySets } from '../contract/callers.ts';
import { notFound } from '../contract/parameters.ts';
import type { DefinitionStore } from '../definitions/definition-store.ts';
import type { FindUnknownSkill } from '../skills/unknown-skills.ts';
import type { cancelTask } from './cancellation-contract.ts';
import type { deleteTask, replaceTask } from './contract.ts';
import { type FindDependencies, toDependencies } from './graphs/dependencies.ts';
import { findTimeProblem, type GivenTask, toGiven } from './new-task.ts';
import type { FindReferenceProblem } from './references.ts';
import { needsOfTask } from './rules/needs.ts';
import { cancel, isEnded, remove, replace } from './rules/task-rules.ts';
import type { ChangeTask } from './store/task-changer.ts';
import type { TaskReader } from './store/task-reader.ts';
import type { Task } from './task.ts';

interface ChangeParts {
  reader: TaskReader;
  change: ChangeTask;
  findReferenceProblem: FindReferenceProblem;
  findUnknownSkill: FindUnknownSkill;
  findDependencies: FindDependencies;
  definitions: DefinitionStore;
}

/** The operations that change tasks. */
export function createChanges({
  reader,
  change,
  findReferenceProblem,
  findUnknownSkill,
  findDependencies,
  definitions,
}: ChangeParts) {
  return {
    async replace({ params, query, body, req }: Input<typeof replaceTask>): Promise<Reply> {
      const { agent_id, task_id } = params;
      const tags = ifMatch(req.headers['if-match']);
      const { retry_of = null, continue_of = null } = body;
      const referenceProblem =
        (await findReferenceProblem({ agent_id, retry_of, continue_of })) ??
        (query.allow_unknown_skills || continue_of !== null ? undefined : await findUnknownSkill(body.skills));
      const worker = await reader.findLastWorker(agent_id, continue_of);
      const found = await reader.read(agent_id, task_id);
      const definition = found.outcome === 'found' ? await definitions.readOf(JSON.parse(found.json) as Task) : null;
      const needs = needsOfTask(definition, body.requires);
      const dependencies = await findDependencies(req, body.after ?? []);
      const [audit, owner] = [auditOf(req, 'task.replaced', task_id), principalOf(req)];
      const replaced = await change<'stale' | Task | FieldError>(agent_id, task_id, (stored, now) => {
        const { task, json } = stored;
        if (referenceProblem && 'path' in referenceProblem) return { refused: referenceProblem };
        if (!isMatch(tags, json)) return { refused: 'stale' };
        if (task.status !== 'pending') return { refused: task };
        const fields = toGiven(body, Date.parse(task.created_at), definition);
        // What it comes after already need not be there any more.
        const before = (stored.state.after ?? []).map((one) => [one.id, one] as const);
        const after = toDependencies(fields.after, new Map([...dependencies, ...before]));
        const problem = findTimeProblem(fields, now) ?? findAttemptsProblem(fields, task);
        if (problem) return { refused: problem };
        if ('path' in after) return { refused: after };
        const own = { worker, needs: needs.length > 0 ? needs : undefined, after };
        return { ...replace(stored, fields, own, now), audit, owner };
      });
      if (replaced.outcome === 'refused') throw toReplaceError(replaced.refused);
      if (replaced.outcome === 'too many sets') throw tooManySets();
      if (replaced.outcome === 'cycle') throw validationError([CYCLE]);
      if (!('json' in replaced)) throw notFound(replaced);
      return { status: 200, json: replaced.json, etag: etagOf(replaced.json) };
    },

    async delete({ params, req }: Input<typeof deleteTask>): Promise<Reply> {
      const { agent_id, task_id } = params;
      const tags = ifMatch(req.headers['if-match']);
      const audit = auditOf(req, 'task.deleted', task_id);
      const deleted = await change<'stale'>(agent_id, task_id, (stored) =>
        isMatch(tags, stored.json) ? { ...remove(), audit } : { refused: 'stale' },
      );
      if (deleted.outcome === 'refused') throw preconditionFailed();
      if (!('json' in deleted)) throw notFound(deleted);
      return { status: 204 };
    },

    async cancel({ params, body, req }: Input<typeof cancelTask>): Promise<Reply> {
      const { agent_id, task_id } = params;
      const audit = auditOf(req, 'task.cancelled', task_id);
      const cancelled = await change<Task['status']>(agent_id, task_id, (stored, now) => {
        const { status } = stored.task;
        if (status === 'cancelled') return undefined;
        if (isEnded(stored.task)) return { refused: status };
        const change = cancel(stored, body?.reason ?? null, now);
        return change && { ...change, audit };
      });
      if (cancelled.outcome === 'refused') {
        throw httpError('task_not_cancellable', `The task has ${cancelled.refused}`);
      }
      if (!('json' in cancelled)) throw notFound(cancelled);
      return { status: cancelled.task.status === 'cancelled' ? 200 : 202, json: cancelled.json };
    },
  };
}

const CYCLE: FieldError = {
  path: 'after',
  code: 'cycle',
  message: 'must not make the task wait for itself, nor be changed while more than 500 tasks wait for it',
};

function toReplaceError(refused: 'stale' | Task | FieldError) {
  if (refused === 'stale') return preconditionFailed();
  if ('path' in refused) return semanticError(refused);
  return httpError('task_not_editable', `The task is ${refused.status}: only a pending task can be replaced`);
}

function findAttemptsProblem({ max_attempts }: GivenTask, { attempt }: Task): FieldError | undefined {
  if (attempt < max_attempts) return undefined;
  const message = `must be more than the ${attempt} attempts that were made`;
  return { path: 'max_attempts', code: 'used_up', message };
}
