import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import {
  detailError,
  type HttpError,
  httpError,
  semanticError,
  validationError,
} from '@agent-fleet/shared/http/errors';
import { isId } from '@agent-fleet/shared/ids';
import { auditAnswer } from '../../audit/audit.ts';
import { originOf, visibleAgents } from '../../contract/callers.ts';
import { parseRecord } from '../../contract/fields.ts';
import { requireRef } from '../../contract/leases.ts';
import { toPageReply } from '../../contract/lists.ts';
import { leaseNotFound, notFound } from '../../contract/parameters.ts';
import { digestOf } from '../../idempotency/idempotency.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import type { RequestIndex } from '../../redis/keys.ts';
import * as rules from '../../tasks/rules/conversation-rules.ts';
import { INTERRUPTION, STOP } from '../../tasks/rules/interruption.ts';
import { cancel } from '../../tasks/rules/task-rules.ts';
import type { StoredTask, TaskState } from '../../tasks/rules/task-state.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import { findAnswerProblem, isSameAnswer, toAnswer, toDecision } from './answers.ts';
import type * as contract from './contract.ts';
import { findRequestProblem, toNewRequest } from './new-request.ts';
import type { Answer, InputRequest } from './request.ts';
import { createRequestStore, type RequestStore } from './request-store.ts';

const MAX_OPEN = 16;
const MAX_REQUESTS = 200;
const MAX_TRIES = 5;

interface RequestParts {
  tasks: Tasks;
  store: RequestStore;
}

/** The operations on input requests. */
export function createRequests(context: FleetContext, tasks: Tasks) {
  const store = createRequestStore(context);
  return {
    operations: {
      ...createReading({ tasks, store }),
      ...createAnswering({ tasks, store }),
      ...createAsking({ tasks, store }),
    },
    store,
  };
}

/** The indexes of the visible agents, or of all. */
function toIndexes(
  { agent_id, ...filter }: Omit<RequestIndex, 'agent'> & { agent_id?: string | undefined },
  visible?: ReadonlySet<string>,
): RequestIndex[] {
  if (agent_id === undefined && !visible) return [filter];
  const agents = agent_id === undefined ? [...(visible as ReadonlySet<string>)] : [agent_id];
  const allowed = agents.filter((id) => isId(id) && visible?.has(id) !== false);
  return allowed.map((agent) => ({ ...filter, agent }));
}

function createReading({ tasks, store }: RequestParts) {
  return {
    async list({ query, req }: Input<typeof contract.listInputRequests>): Promise<Reply> {
      const { skip, limit, after, order, task_id, ...filter } = query;
      const page = { skip, limit, after, order };
      const indexes = toIndexes(filter, visibleAgents(req));
      const found = await (task_id === undefined
        ? store.list(indexes, page)
        : store.listOfTask(isId(task_id) ? task_id : '', page, indexes));
      return toPageReply(req.originalUrl, page, found);
    },

    async listOfTask({ params, query, req }: Input<typeof contract.listTaskInputRequests>): Promise<Reply> {
      await tasks.requireTask(params);
      return toPageReply(req.originalUrl, query, await store.listOfTask(params.task_id, query));
    },

    async read({ params }: Input<typeof contract.readInputRequest>): Promise<Reply> {
      return { status: 200, json: await readOf(params, { tasks, store }) };
    },
  };
}

/** @throws 404 when there is no such agent, task or request */
async function readOf(params: Input<typeof contract.readInputRequest>['params'], { tasks, store }: RequestParts) {
  await tasks.requireTask(params);
  const record = isId(params.request_id) ? await store.read(params.task_id, params.request_id) : undefined;
  if (record === undefined) throw requestNotFound();
  return record;
}

function createAnswering({ tasks, store }: RequestParts) {
  /** The reply where the request is no longer open. @throws 409 */
  function toClosedReply(record: string, { state, answer: found }: InputRequest, answer: Answer): Reply {
    if (state !== 'answered' || !found) throw httpError('input_request_closed', `The request is ${state}`);
    if (isSameAnswer(found, answer)) return { status: 200, json: record };
    const { by, at } = found;
    throw httpError('already_answered', `${by?.name ?? 'Somebody'} has already answered`, { details: { by, at } });
  }

  return {
    async answer({ params, body, req }: Input<typeof contract.answerInputRequest>): Promise<Reply> {
      const { agent_id, task_id, request_id: id } = params;
      const record = await readOf(params, { tasks, store });
      const request = parseRecord(record) as InputRequest;
      const problem = findAnswerProblem(request, body);
      if (problem) throw validationError([problem]);
      const by = originOf(req).created_by;
      const answer = toAnswer(request, body, by, new Date().toISOString());
      if (request.state !== 'open') return toClosedReply(record, request, answer);
      const answered = { id, by, record: JSON.stringify({ state: 'answered', answer }) };
      const stops = request.key.startsWith(INTERRUPTION) && answer.option_ids?.includes(STOP);
      const audit = auditAnswer(req, task_id, toDecision(request, answer));
      const stop = (stored: Pick<StoredTask, 'task' | 'state'>, now: number) =>
        cancel(stored, 'Stopped by a person', now);
      const changed = await tasks.change<'closed'>(agent_id, task_id, (stored, now) => {
        if (!isOpen(stored.state, id)) return { refused: 'closed' };
        const change = stops ? rules.answerAndCancel(stored, answered, now, stop) : rules.answer(stored, answered, now);
        return { ...change, audit };
      });
      if (changed.outcome !== 'refused' && !('json' in changed)) throw notFound(changed);
      const now = await readOf(params, { tasks, store });
      if (changed.outcome === 'refused') return toClosedReply(now, parseRecord(now) as InputRequest, answer);
      return { status: 200, json: now };
    },
  };
}

const isOpen = ({ conversation }: TaskState, id: string) =>
  conversation?.open.some((request) => request.id === id) === true;

function createAsking({ tasks, store }: RequestParts) {
  const { changeHeld, requireToken } = tasks.held;

  /** @throws 404 when the task was deleted meanwhile */
  async function readNew(taskId: string, id: string): Promise<string> {
    const record = await store.read(taskId, id);
    if (record === undefined) throw leaseNotFound();
    return record;
  }

  /** Finds the request that the worker has asked already. @throws 422 when it asks something else under its key */
  async function findEarlier(taskId: string, key: string, digest: string): Promise<Reply | undefined> {
    const earlier = await store.findByKey(taskId, key);
    if (!earlier) return undefined;
    if (earlier.digest !== digest) throw keyReused();
    return { status: 200, json: await readNew(taskId, earlier.id) };
  }

  return {
    async create({ params, body }: Input<typeof contract.createInputRequest>): Promise<Reply> {
      const { token, ...input } = body;
      const ref = requireRef(params);
      const problem = findRequestProblem(input);
      if (problem) throw validationError([problem]);
      const digest = digestOf(input);
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const { state } = await changeHeld(ref, token, () => undefined);
        const earlier = await findEarlier(ref.taskId, input.key, digest);
        if (earlier) return earlier;
        const count = state?.conversation?.requests ?? 0;
        let id: string | undefined;
        await changeHeld(ref, token, (stored, now) => {
          id = undefined;
          const refused = findRefusal(stored);
          if (refused) return { refused };
          // Another request has been asked since, perhaps with this key.
          if ((stored.state.conversation?.requests ?? 0) !== count) return undefined;
          const request = { ...toNewRequest(stored.task, input, now), digest };
          ({ id } = request);
          return rules.openRequest(stored, request, now);
        });
        if (id) return { status: 201, json: await readNew(ref.taskId, id) };
      }
      throw new Error(`The task ${ref.taskId} has too many concurrent requests`);
    },

    async withdraw({ params, req }: Input<typeof contract.withdrawInputRequest>): Promise<Reply> {
      const ref = requireRef(params);
      const { request_id: id } = params;
      const token = await requireToken(req, params);
      await changeHeld(ref, token, (stored, now) =>
        isOpen(stored.state, id) ? rules.withdraw(stored, id, now) : undefined,
      );
      if (!isId(id) || (await store.read(ref.taskId, id)) === undefined) throw requestNotFound();
      return { status: 204 };
    },
  };
}

/** Finds why a worker may not ask. Interruptions are not counted among the open requests. */
function findRefusal({ state }: StoredTask): HttpError | undefined {
  const { open = [], requests = 0 } = state.conversation ?? {};
  if (!state.lease?.accepts?.includes('input')) {
    return httpError('input_not_accepted', 'The worker did not say in its lease request that it accepts input');
  }
  if (open.filter(({ key }) => !key.startsWith(INTERRUPTION)).length >= MAX_OPEN) {
    return httpError('too_many_input_requests', `The task has ${MAX_OPEN} open requests`);
  }
  if (requests < MAX_REQUESTS) return undefined;
  return httpError('too_many_input_requests', `The task has had ${MAX_REQUESTS} requests`);
}

const requestNotFound = () => detailError(404, 'Input request not found');

const keyReused = () => semanticError({ path: 'key', code: 'reused', message: 'was used for another request' });
