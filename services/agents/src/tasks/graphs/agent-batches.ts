import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseInput } from '@agent-fleet/shared/contract/input';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { HttpError, semanticError } from '@agent-fleet/shared/http/errors';
import { isId } from '@agent-fleet/shared/ids';
import { auditOf } from '../../audit/audit.ts';
import { makerOf, originOf, PENDING_TASKS, quotaExceeded, quotaOf, tooManySets } from '../../contract/callers.ts';
import { idInBatch } from '../../contract/ids.ts';
import { agentNotFound, type Missing, notFound } from '../../contract/parameters.ts';
import type { Claim } from '../../idempotency/idempotency.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import type { createTasks as createBatch } from '../batch-contract.ts';
import { type CreationParts, type FindProblem, toDetails } from '../creation.ts';
import { toTask } from '../new-task.ts';
import type { Dependency } from '../rules/task-state.ts';
import { type Task, type TaskInput, taskInputSchema } from '../task.ts';
import { toDependencies } from './dependencies.ts';

type Refused = NonNullable<Claim['refused']>;

/** Tasks of a batch are parsed for this long at once: other requests wait meanwhile. */
const STEP_MS = 10;

/** The operation that creates tasks of an agent. */
export function createAgentBatches({ config }: FleetContext, parts: CreationParts) {
  const { create, idempotency, findProblemOf, findDependencies, definitions } = parts;

  return {
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
              const parsed = await parseTasks(agentId, id, body.tasks, { origin: originOf(req, claim), definition });
              const named = parsed.flatMap((task) => (task instanceof HttpError ? [] : (task.after ?? [])));
              const known = await findDependencies(req, named);
              const dependencies = new Map<string, Dependency[]>();
              const { refused, find } = findForBatch(async (task) => {
                const after = toDependencies(task.after, known);
                // A batch that continues waits for what is gone meanwhile.
                dependencies.set(task.id, 'path' in after ? (task.after ?? []).map((one) => ({ id: one })) : after);
                if ('path' in after) return after;
                return findProblemOf(query)(task);
              }, claim);
              const found = await Promise.all(parsed.map((task) => check(task, find)));
              const missing = found.find(isMissing);
              if (missing) return missing;
              const results = found.filter((result): result is Task | HttpError => !isMissing(result));
              const tasks = results.filter((result) => !(result instanceof HttpError));
              const records = tasks.map((task) => JSON.stringify(task));
              const quota = quotaOf(req, config.quotas.pendingTasks);
              const shorten = (count: number) => toResults(results, records.slice(0, count));
              const json = shorten(records.length);
              const audit = auditOf(req, 'tasks.created', agentId, toDetails(agentId, known));
              return create({
                agentId,
                definition,
                tasks,
                dependencies,
                records,
                json,
                id,
                refused,
                kept,
                quota,
                shorten,
                ...makerOf(req),
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
    const problem = await findProblem(task);
    if (claim?.refused) return refused[task.id];
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

export function toErrorResult({ status, body }: HttpError): string {
  return JSON.stringify({ status, error: body });
}
