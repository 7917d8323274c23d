import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseInput } from '@agent-fleet/shared/contract/input';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { type FieldError, HttpError, semanticError } from '@agent-fleet/shared/http/errors';
import { etagOf } from '@agent-fleet/shared/http/etag';
import { isId } from '@agent-fleet/shared/ids';
import { auditOf } from '../audit/audit.ts';
import { makerOf, originOf, PENDING_TASKS, quotaExceeded, quotaOf, tooManySets } from '../contract/callers.ts';
import { idInBatch } from '../contract/ids.ts';
import { agentNotFound, type Missing, notFound, type RequireAgent } from '../contract/parameters.ts';
import type { DefinitionStore } from '../definitions/definition-store.ts';
import type { Claim, Idempotency } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { FindUnknownSkill } from '../skills/unknown-skills.ts';
import type { createTasks as createBatch } from './batch-contract.ts';
import type { createTask } from './contract.ts';
import { findTimeProblem, toTask } from './new-task.ts';
import type { FindReferenceProblem } from './references.ts';
import { idsOf } from './rules/task-state.ts';
import { type CreateTasks, toSingleCreation } from './store/task-creator.ts';
import { type Task, type TaskInput, taskInputSchema } from './task.ts';

type FindProblem = (task: Task) => Promise<FieldError | Missing | undefined>;
type Refused = NonNullable<Claim['refused']>;

/** Tasks of a batch are parsed for this long at once: other requests wait meanwhile. */
const STEP_MS = 10;

interface CreationParts {
  create: CreateTasks;
  idempotency: Idempotency;
  requireAgent: RequireAgent;
  findReferenceProblem: FindReferenceProblem;
  findUnknownSkill: FindUnknownSkill;
  definitions: DefinitionStore;
}

/** The operations that create tasks. */
export function createCreation({ config }: FleetContext, parts: CreationParts) {
  const { create, idempotency, requireAgent, findReferenceProblem, findUnknownSkill, definitions } = parts;

  /** Finds why a task is impossible. */
  const findProblemOf =
    ({ allow_unknown_skills: allows }: { allow_unknown_skills?: boolean | undefined }): FindProblem =>
    async (task) =>
      findTimeProblem(task, Date.parse(task.created_at)) ??
      (await findReferenceProblem(task)) ??
      (allows ? undefined : await findUnknownSkill(task.skills));

  return {
    async create({ params, query, body, req }: Input<typeof createTask>): Promise<Reply> {
      const { agent_id: agentId } = params;
      if (!isId(agentId)) throw agentNotFound();
      const created = await idempotency(
        req,
        (id, kept) =>
          definitions.withCurrent(agentId, async (definition) => {
            const task = toTask(agentId, id, body, { origin: originOf(req, kept?.claim), definition });
            const problem = await findProblemOf(query)(task);
            if (problem) return { outcome: 'impossible', problem } as const;
            const audit = auditOf(req, 'task.created', id);
            const quota = quotaOf(req, config.quotas.pendingTasks);
            return create({ ...toSingleCreation(task, definition), kept, quota, ...makerOf(req), audit });
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

    async createBatch({ params, query, body, req }: Input<typeof createBatch>): Promise<Reply> {
      const { agent_id: agentId } = params;
      if (!isId(agentId)) throw agentNotFound();
      const created = await idempotency(
        req,
        (id, kept) =>
          definitions.withCurrent(
            agentId,
            async (definition) => {
              const claim = kept?.claim;
              const { refused, find } = findForBatch(findProblemOf(query), claim);
              const parsed = await parseTasks(agentId, id, body.tasks, { origin: originOf(req, claim), definition });
              const found = await Promise.all(parsed.map((task) => check(task, find)));
              const missing = found.find(isMissing);
              if (missing) return missing;
              const results = found.filter((result): result is Task | HttpError => !isMissing(result));
              const tasks = results.filter((result) => !(result instanceof HttpError));
              const records = tasks.map((task) => JSON.stringify(task));
              const quota = quotaOf(req, config.quotas.pendingTasks);
              const shorten = (count: number) => toResults(results, records.slice(0, count));
              const json = shorten(records.length);
              const audit = auditOf(req, 'tasks.created', agentId);
              const { owner, creator } = makerOf(req);
              return create({
                agentId,
                definition,
                tasks,
                records,
                json,
                id,
                refused,
                kept,
                quota,
                shorten,
                owner,
                creator,
                audit,
              });
            },
            kept?.claim?.version,
          ),
        toBatchCreated,
      );
      if (created.outcome === 'created') return toBatchCreated(created.json);
      if (created.outcome === 'replayed') return created.reply;
      if (created.outcome === 'full') throw quotaExceeded(PENDING_TASKS);
      if (created.outcome === 'too many sets') throw tooManySets();
      throw notFound(created);
    },
  };
}

/** A batch that continues refuses the tasks that it refused at its start; else `refused` collects them. */
function findForBatch(findProblem: FindProblem, claim: Claim | undefined): { refused: Refused; find: FindProblem } {
  const { refused = {} } = claim ?? {};
  const find: FindProblem = async (task) => {
    if (claim?.refused) return refused[task.id];
    const problem = await findProblem(task);
    if (problem && !('outcome' in problem)) refused[task.id] = problem;
    return problem;
  };
  return { refused, find };
}

/** The tasks of a batch, or what is wrong with them. To parse all can take half a second. */
async function parseTasks(
  agentId: string,
  id: string,
  inputs: readonly unknown[],
  from: Parameters<typeof toTask>[3],
): Promise<(Task | HttpError)[]> {
  const parsed: (Task | HttpError)[] = [];
  let start = performance.now();
  for (const [at, input] of inputs.entries()) {
    parsed.push(parseTask(agentId, idInBatch(id, at), input, from));
    if (performance.now() - start < STEP_MS) continue;
    await nextTurn();
    start = performance.now();
  }
  return parsed;
}

function parseTask(agentId: string, id: string, input: unknown, from: Parameters<typeof toTask>[3]): Task | HttpError {
  try {
    return toTask(agentId, id, parseInput(taskInputSchema, input) as TaskInput, from);
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

/** Returns a task of a batch, its error, or that there is no agent. */
async function check(task: Task | HttpError, findProblem: FindProblem): Promise<Task | HttpError | Missing> {
  const problem = task instanceof HttpError ? undefined : await findProblem(task);
  if (!problem) return task;
  return 'outcome' in problem ? problem : semanticError(problem);
}

function isMissing(result: Task | HttpError | Missing): result is Missing {
  return 'outcome' in result;
}

export function toCreated(json: string): Reply {
  const { agent_id, task_id } = idsOf(json);
  return { status: 201, json, etag: etagOf(json), headers: { location: `/agents/${agent_id}/tasks/${task_id}` } };
}

const toBatchCreated = (json: string): Reply => ({ status: 201, json });

/** The body of the reply to a batch: for each task its record or its error. Tasks without a record are too many. */
function toResults(results: readonly (Task | HttpError)[], records: readonly string[]): string {
  let at = 0;
  const parts = results.map((result) => {
    if (result instanceof HttpError) return toErrorResult(result);
    const record = records[at++];
    return record === undefined ? toErrorResult(quotaExceeded(PENDING_TASKS)) : `{"status":201,"task":${record}}`;
  });
  return `{"results":[${parts.join(',')}]}`;
}

function toErrorResult({ status, body }: HttpError): string {
  return JSON.stringify({ status, error: body });
}
