import { parseInput } from '@agent-fleet/shared/contract/input';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { type FieldError, HttpError, semanticError, validationError } from '@agent-fleet/shared/http/errors';
import type { Request } from 'express';
import { auditOf } from '../../audit/audit.ts';
import {
  makerOf,
  originOf,
  PENDING_TASKS,
  quotaExceeded,
  quotaOf,
  tooManySets,
  visibleAgents,
} from '../../contract/callers.ts';
import { idInBatch } from '../../contract/ids.ts';
import type { Definition } from '../../definitions/definition.ts';
import { REDEFINED } from '../../definitions/definition-store.ts';
import type { Kept } from '../../idempotency/idempotency.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { type CreationParts, type FindProblem, toDetails } from '../creation.ts';
import { toTask } from '../new-task.ts';
import type { Dependency } from '../rules/task-state.ts';
import type { TaskInput } from '../task.ts';
import { toErrorResult } from './agent-batches.ts';
import type { BatchStore, Planned } from './batch-store.ts';
import { type createTaskGraph, graphTaskSchema, KEY_PREFIX } from './contract.ts';
import { toDependencies } from './dependencies.ts';
import { sortGraph } from './graph-order.ts';

type GraphTask = TaskInput & { agent_id: string; key?: string | null };
type Body = Input<typeof createTaskGraph>['body'];
type Definitions = Map<string, Definition | null>;

interface Given {
  body: Body;
  findProblem: FindProblem;
}

interface GraphParts extends CreationParts {
  batches: BatchStore;
}

/** Tries to begin a batch while agents get other definitions. */
const MAX_TRIES = 20;

/** The operation that creates tasks of any agents. */
export function createGraphs({ config }: FleetContext, parts: GraphParts) {
  const { idempotency, findProblemOf, findDependencies, definitions, batches } = parts;

  /** The current definitions of the agents that the caller may see. */
  async function readDefinitions(req: Request, ids: ReadonlySet<string>): Promise<Definitions> {
    const visible = visibleAgents(req);
    const found: Definitions = new Map();
    for (const id of ids) {
      const version = visible && !visible.has(id) ? undefined : await definitions.readCurrent(id);
      if (version === undefined) continue;
      found.set(id, await definitions.readOf({ agent_id: id, agent_version: version }));
    }
    return found;
  }

  /** The tasks that the body makes, or what is wrong with each. */
  async function plan(req: Request, id: string, { body, findProblem }: Given) {
    const parsed = refuseCycles(body.tasks.map(parseTask));
    const tasks = parsed.filter((one): one is GraphTask => !(one instanceof HttpError));
    const found = await readDefinitions(req, new Set(tasks.map(({ agent_id }) => agent_id)));
    const named = await findDependencies(
      req,
      tasks.flatMap(({ after }) => (after ?? []).filter((one) => !one.startsWith(KEY_PREFIX))),
    );
    const ids = new Map(parsed.flatMap((one, at) => (keyOf(one) ? [[keyOf(one) as string, idInBatch(id, at)]] : [])));
    const origin = originOf(req);

    async function toPlanned(one: GraphTask, at: number): Promise<Planned | HttpError> {
      const { agent_id, key: _, ...input } = one;
      const definition = found.get(agent_id);
      if (definition === undefined) return semanticError({ path: 'agent_id', ...UNKNOWN_AGENT });
      const after = input.after?.map((name) => (name.startsWith(KEY_PREFIX) ? ids.get(name.slice(1)) : name) ?? name);
      const ofBatch = input.after?.flatMap((name, of) => {
        const other = after?.[of] as string;
        return other === name ? [] : [[other, { id: other, key: name.slice(1) }] as const];
      });
      const dependencies = toDependencies(after, new Map<string, Dependency>([...named, ...(ofBatch ?? [])]));
      if ('path' in dependencies) return semanticError(dependencies);
      const task = toTask(agent_id, idInBatch(id, at), { ...input, after }, { origin, definition });
      const problem = await findProblem(task);
      if (problem) return semanticError('path' in problem ? problem : { path: 'agent_id', ...UNKNOWN_AGENT });
      const unique = new Map(dependencies.map((dependency) => [dependency.id, dependency]));
      return { task, definition, after: [...unique.values()] };
    }

    const results: (Planned | HttpError)[] = [];
    for (const [at, one] of parsed.entries()) {
      results.push(one instanceof HttpError ? one : await toPlanned(one, at));
    }
    return { results: body.partial ? refuseBehind(results, new Set(ids.values())) : results, named };
  }

  async function create(req: Request, given: Given, id: string, kept: Kept | undefined) {
    const { body } = given;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { results, named } = await plan(req, id, given);
      const at = results.findIndex((result) => result instanceof HttpError);
      if (at >= 0 && !body.partial) throw atIndex(results[at] as HttpError, at);
      const planned = sortPlanned(results.filter((result): result is Planned => !(result instanceof HttpError)));
      const json = toResults(results);
      const agents = new Set(planned.map(({ task }) => task.agent_id));
      const begun = await batches.begin({
        ...{ id, planned, json, kept, ...makerOf(req), quota: quotaOf(req, config.quotas.pendingTasks) },
        audit: [...agents].map((agentId) => auditOf(req, 'tasks.created', agentId, toDetails(agentId, named))),
      });
      if (begun.outcome === 'kept') return begun;
      if (begun.outcome === 'begun') await batches.run(id);
      if (begun.outcome !== 'missing' && begun.outcome !== 'redefined') return { outcome: begun.outcome, json };
    }
    return REDEFINED;
  }

  return {
    async createGraph({ query, body, req }: Input<typeof createTaskGraph>): Promise<Reply> {
      const given = { body, findProblem: findProblemOf(query) };
      const created = await idempotency(req, (id, kept) => create(req, given, id, kept), toReply);
      if (created.outcome === 'replayed') return created.reply;
      if (created.outcome === 'full') throw quotaExceeded(PENDING_TASKS);
      if (created.outcome === 'too many sets') throw tooManySets();
      if (!('json' in created)) throw new Error('The agents have too many concurrent definitions');
      return toReply(created.json);
    },
  };
}

const UNKNOWN_AGENT = { code: 'unknown_agent', message: 'names no agent' };

const toReply = (json: string): Reply => ({ status: 201, json });

const keyOf = (one: GraphTask | HttpError) => (one instanceof HttpError ? undefined : one.key);

function parseTask(input: unknown): GraphTask | HttpError {
  try {
    return parseInput(graphTaskSchema, input) as GraphTask;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

/** Refuses tasks whose key another one has, that come after a key that none has, and those of cycles. */
function refuseCycles(parsed: readonly (GraphTask | HttpError)[]): (GraphTask | HttpError)[] {
  const places = new Map<string, number>();
  for (const [at, one] of parsed.entries()) {
    const key = keyOf(one);
    if (key && !places.has(key)) places.set(key, at);
  }
  const before = parsed.map((one) =>
    one instanceof HttpError
      ? []
      : (one.after ?? []).filter((name) => name.startsWith(KEY_PREFIX)).map((name) => places.get(name.slice(1)) ?? -1),
  );
  const known = before.map((ones) => ones.filter((one) => one >= 0));
  const sorted = new Set(sortGraph(new Map(known.entries())));
  return parsed.map((one, at) => {
    if (one instanceof HttpError) return one;
    if (one.key && places.get(one.key) !== at) return refuse('key', 'duplicate', 'is the key of another task, too');
    if (before[at]?.includes(-1)) return refuse('after', 'unknown_key', 'names a key that no task of the batch has');
    return sorted.has(at) ? one : refuse('after', 'cycle', 'makes the task wait for itself');
  });
}

const refuse = (path: string, code: string, message: string): HttpError => validationError([{ path, code, message }]);

/** Refuses what comes after tasks of the batch that are refused. */
function refuseBehind(results: readonly (Planned | HttpError)[], keyed: ReadonlySet<string>): (Planned | HttpError)[] {
  const refused = [...results];
  for (let isNew = true; isNew; ) {
    isNew = false;
    const ids = new Set(refused.flatMap((one) => (one instanceof HttpError ? [] : [one.task.id])));
    for (const [at, one] of refused.entries()) {
      if (one instanceof HttpError || one.after.every(({ id }) => !keyed.has(id) || ids.has(id))) continue;
      refused[at] = semanticError({
        path: 'after',
        code: 'unknown_dependency',
        message: 'names a task that is refused',
      });
      isNew = true;
    }
  }
  return refused;
}

/** Sorts tasks behind those of the batch that they come after. */
export function sortPlanned(planned: readonly Planned[]): Planned[] {
  const places = new Map(planned.map(({ task }, at) => [task.id, at]));
  const before = planned.map(({ after }) => after.flatMap(({ id }) => places.get(id) ?? []));
  return sortGraph(new Map(before.entries())).map((at) => planned[at] as Planned);
}

/** The error of a task of the batch, as one of the whole. */
function atIndex({ status, body }: HttpError, at: number): HttpError {
  const { fields = [] } = (body as { details?: { fields?: FieldError[] } }).details ?? {};
  const named = fields.map((field) => ({ ...field, path: [`tasks.${at}`, field.path].filter(Boolean).join('.') }));
  return status === 422 ? semanticError(named[0] as FieldError) : validationError(named);
}

function toResults(results: readonly (Planned | HttpError)[]): string {
  const parts = results.map((result) =>
    result instanceof HttpError ? toErrorResult(result) : `{"status":201,"task":${JSON.stringify(result.task)}}`,
  );
  return `{"results":[${parts.join(',')}]}`;
}
