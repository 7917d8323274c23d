import {
  acceptLease,
  expectError,
  expectSame,
  expectStatus,
  expectTask,
  isOfTypes,
  ofAgent,
  ofLease,
  ofReport,
  ofTask,
} from './accept.ts';
import * as talks from './conversation.ts';
import { requestCancel } from './ends.ts';
import {
  freeSlots,
  type GivenDefinition,
  type GivenTask,
  isBehind,
  isReadyFor,
  type ModelAgent,
  type ModelCost,
  type Pass,
  type Report,
  type Taker,
  type TaskRef,
} from './entities.ts';
import * as rules from './model.ts';
import { agentView } from './observe.ts';
import {
  type LeaseRef,
  leasePath,
  type Match,
  type Occasion,
  type Operation,
  Refused,
  type Reply,
  taskPath,
} from './operation.ts';

const LEASE_SECONDS = 600;
/** Constant, so that a request can be repeated. */
const SCHEDULED_AT = new Date(Date.now() + 4 * 3_600_000).toISOString();

export function create(agentId: string, given: GivenTask, key: string | undefined): Operation {
  const isInProgress = ({ status, body }: Reply, { alone }: Occasion) =>
    !alone && key !== undefined && status === 409 && body.error === 'idempotent_request_in_progress';
  const acceptNew = ofAgent(agentId, (agent, reply, occasion, model) => {
    if (isInProgress(reply, occasion)) return;
    if (!rules.mayContinue(agent, given)) return expectError(reply, 422, 'semantic_error');
    expectStatus(reply, 201);
    expectTask(reply.body, agent, rules.createTask(agent, reply.body.id, given, occasion.step));
    if (key !== undefined) model.keyed[key] = reply.body.id;
  });
  const operation: Operation = {
    request: {
      method: 'POST',
      path: `/agents/${agentId}/tasks`,
      body: toBody(given),
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    },
    accept(model, reply, occasion) {
      const known = key === undefined ? undefined : model.keyed[key];
      if (known === undefined) return acceptNew(model, reply, occasion);
      if (isInProgress(reply, occasion)) return;
      expectStatus(reply, 201);
      expectSame('id of a repeated creation', reply.body.id, known);
    },
    remember({ tasks, created }, { status, body }) {
      if (status !== 201) return;
      if (!tasks.some(({ taskId }) => taskId === body.id)) tasks.push({ agentId, taskId: body.id });
      if (key !== undefined && !created.includes(operation)) created.push(operation);
    },
  };
  return operation;
}

/** A task that is not given is invalid. */
export function createBatch(agentId: string, given: (GivenTask | undefined)[]): Operation {
  const tasks = given.map((one) => (one ? toBody(one) : { message: '' }));
  return {
    request: { method: 'POST', path: `/agents/${agentId}/task-batches`, body: { tasks } },
    accept: ofAgent(agentId, (agent, reply, { step }) => {
      expectStatus(reply, 201);
      const { results } = reply.body;
      expectSame(
        'statuses of the results',
        results.map(({ status }) => status),
        given.map((one) => (one ? (rules.mayContinue(agent, one) ? 201 : 422) : 400)),
      );
      for (const [at, { task }] of results.entries()) {
        const one = given[at];
        if (!one || !rules.mayContinue(agent, one)) continue;
        if (!task) throw new Refused('a result of a batch has no task');
        expectTask(task, agent, rules.createTask(agent, task.id, one, step + at / 1_000));
      }
    }),
    remember({ tasks: known }, { status, body }) {
      if (status !== 201) return;
      for (const { task } of body.results) if (task) known.push({ agentId, taskId: task.id });
    },
  };
}

export function replaceTask(target: TaskRef, given: GivenTask, match: Match | undefined): Operation {
  return {
    request: { method: 'PUT', path: taskPath(target), body: toBody(given), headers: ifMatch(match) },
    accept: ofTask(target, match, (agent, task, reply, { step }) => {
      if (task.status !== 'pending') return expectError(reply, 409, 'task_not_editable');
      if (task.attempt >= given.max_attempts) return expectError(reply, 422, 'semantic_error');
      expectStatus(reply, 200);
      rules.replaceTask(agent, task, given, step);
      expectTask(reply.body, agent, task);
    }),
  };
}

export function deleteTask(target: TaskRef, match: Match | undefined): Operation {
  return {
    request: { method: 'DELETE', path: taskPath(target), headers: ifMatch(match) },
    accept: ofTask(target, match, (agent, task, reply) => {
      expectStatus(reply, 204);
      rules.deleteTask(agent, task);
    }),
  };
}

export function cancel(target: TaskRef, reason: string | null): Operation {
  return {
    request: { method: 'PUT', path: `${taskPath(target)}/cancellation`, body: { reason } },
    accept: ofTask(target, undefined, (agent, task, reply) => {
      if (task.status === 'completed' || task.status === 'failed') {
        return expectError(reply, 409, 'task_not_cancellable');
      }
      expectStatus(reply, task.lease ? 202 : 200);
      requestCancel(agent, task, reason);
      expectTask(reply.body, agent, task);
    }),
  };
}

/** Takes tasks of an agent, or of all agents of some types. */
export function lease(from: { agentId: string } | { types: string[] }, taker: Taker, max: number): Operation {
  const { worker, ...offers } = taker;
  const body = { worker_id: worker, max_tasks: max, lease_seconds: LEASE_SECONDS, ...offers };
  const acceptLeases = (agents: ModelAgent[], reply: Reply, { alone }: Occasion) => {
    const leases = reply.status === 201 ? reply.body.leases : [];
    expectStatus(reply, leases.length === 0 ? 204 : 201);
    const readyOf = (agent: ModelAgent) => {
      const ready = agent.tasks.filter((task) => isReadyFor(task, taker) && !isBehind(agent, task));
      return Math.min(ready.length, freeSlots(agent));
    };
    const ready = agents.map(readyOf).reduce((sum, count) => sum + count, 0);
    if (alone) expectSame('number of leases', leases.length, Math.min(ready, max));
    for (const one of leases) acceptLease(agents, taker, one, alone);
  };
  return {
    isLease: true,
    ...('agentId' in from
      ? {
          request: { method: 'POST', path: `/agents/${from.agentId}/leases`, body },
          accept: ofAgent(from.agentId, (agent, reply, occasion) => acceptLeases([agent], reply, occasion)),
        }
      : {
          request: { method: 'POST', path: '/leases', body: { ...body, types: from.types } },
          accept: ({ agents }, reply, occasion) =>
            acceptLeases(
              agents.filter((agent) => !agent.deleted && isOfTypes(agent, from.types, occasion)),
              reply,
              occasion,
            ),
        }),
    remember({ leases }, { status, body }) {
      if (status !== 201) return;
      for (const { id, token } of body.leases) {
        const [agentId = '', taskId = '', number] = id.split('.');
        leases.push({ agentId, taskId, number: Number(number), token });
      }
    },
  };
}

export function heartbeat(
  held: LeaseRef,
  progress: { percent: number; message: null } | undefined,
  cost: ModelCost | undefined,
): Operation {
  return {
    request: { method: 'PUT', path: `${leasePath(held)}/heartbeat`, body: { token: held.token, progress, cost } },
    accept: ofLease(held, (agent, task, reply) => {
      expectStatus(reply, 200);
      rules.progress(agent, task, progress, cost);
      expectSame('inbox', reply.body.inbox, task.talk.last);
      expectSame('cancel_requested', reply.body.cancel_requested, task.cancelRequest !== null);
    }),
  };
}

export function log(held: LeaseRef, texts: string[]): Operation {
  const entries = texts.map((text) => ({ text }));
  return {
    request: { method: 'POST', path: `${leasePath(held)}/log-entries`, body: { token: held.token, entries } },
    accept: ofLease(held, (_agent, task, reply) => {
      expectStatus(reply, 204);
      task.log.push(...texts);
    }),
  };
}

export function report(held: LeaseRef, reported: Report): Operation {
  const { token } = held;
  const acceptFirst = ofLease(held, (agent, task, reply, { step }) => {
    expectStatus(reply, 200);
    rules.report(agent, task, token, reported, step);
    expectTask(reply.body, agent, task);
  });
  return {
    request: { method: 'PUT', path: `${leasePath(held)}/result`, body: { token, ...reported } },
    accept: ofReport(held, JSON.stringify(reported), acceptFirst),
    remember(known, { status }) {
      if (status === 200) known.reported.push({ lease: held, report: reported });
    },
  };
}

export function release(held: LeaseRef): Operation {
  return {
    request: { method: 'DELETE', path: leasePath(held), headers: { 'x-lease-token': held.token } },
    accept: ofLease(held, (agent, task, reply, { step }) => {
      expectStatus(reply, 204);
      rules.release(agent, task, step);
    }),
  };
}

export function replaceAgent(agentId: string, name: string, type: string): Operation {
  return {
    request: { method: 'PUT', path: `/agents/${agentId}`, body: { name, type } },
    accept: ofAgent(agentId, (agent, reply) => {
      expectStatus(reply, 200);
      rules.replaceAgent(agent, name, type);
      expectSame('agent', reply.body, { ...reply.body, ...agentView(agent) });
    }),
  };
}

export function define(agentId: string, given: GivenDefinition): Operation {
  return {
    request: { method: 'PUT', path: `/agents/${agentId}/definition`, body: given },
    accept: ofAgent(agentId, (agent, reply) => {
      expectStatus(reply, agent.definition ? 200 : 201);
      rules.define(agent, given);
      expectSame('version', reply.body.version, agent.definition?.version);
    }),
  };
}

export function undefine(agentId: string): Operation {
  return {
    request: { method: 'DELETE', path: `/agents/${agentId}/definition` },
    accept: ofAgent(agentId, (agent, reply) => {
      expectStatus(reply, 204);
      rules.undefine(agent);
    }),
  };
}

export function pause(agentId: string, reason: string | null): Operation {
  return {
    request: { method: 'PUT', path: `/agents/${agentId}/pause`, body: { reason } },
    accept: ofAgent(agentId, (agent, reply) => {
      expectStatus(reply, 200);
      const stored = reason?.toWellFormed() ?? null;
      rules.pauseAgent(agent, stored);
      expectSame('reason', reply.body.reason, stored);
    }),
  };
}

export function resume(agentId: string): Operation {
  return {
    request: { method: 'DELETE', path: `/agents/${agentId}/pause` },
    accept: ofAgent(agentId, (agent, reply) => {
      expectStatus(reply, 204);
      rules.resumeAgent(agent);
    }),
  };
}

export function deleteAgent(agentId: string): Operation {
  return {
    request: { method: 'DELETE', path: `/agents/${agentId}` },
    accept: ofAgent(agentId, (agent, reply) => {
      expectStatus(reply, 204);
      rules.deleteAgent(agent);
    }),
  };
}

export function pass(passed: Pass): Operation {
  return {
    pass: passed,
    accept({ agents }, _reply, { step }) {
      const agent = agents.find(({ id }) => id === passed.agentId);
      const task = agent?.tasks.find(({ id }) => id === passed.taskId);
      if (!agent || !task) return;
      if (passed.what === 'reservation') rules.endReservation(task);
      else if (passed.what === 'request' || passed.what === 'interruption') {
        talks.applyPersonalDeadline(agent, task, { what: passed.what, order: step });
      } else rules.applyDeadline(agent, task, step);
    },
  };
}

const ifMatch = (match: Match | undefined) => match && { 'if-match': match.etag };

function toBody({ retryWaits, scheduled, ...given }: GivenTask): object {
  return {
    ...given,
    retry_policy: { strategy: 'fixed', delay_seconds: retryWaits ? 3_600 : 0, jitter: 0 },
    ...(scheduled && { scheduled_at: SCHEDULED_AT }),
  };
}
