import { expectError, expectSame, expectStatus, expectTask, ofLease, ofReport, ofTask } from './accept.ts';
import * as talks from './conversation.ts';
import { isEnded, type ModelTask, type TaskRef } from './entities.ts';
import { type LeaseRef, leasePath, type Operation, type Reply, type RequestRef, taskPath } from './operation.ts';
import { answerView, DEFAULT, INTERRUPTION, type ModelRequest, openOf, toAnswer } from './talk.ts';

/** What a worker asks under a key is always the same. */
export interface Asked {
  key: string;
  kind: 'approval' | 'question';
  hasDefault: boolean;
}

const answerOf = (kind: string, text: string) => (kind === 'approval' ? { option_ids: [text] } : { text });

export function ask(held: LeaseRef, asked: Asked): Operation {
  const { key, kind, hasDefault } = asked;
  const given = {
    title: key,
    kind,
    ...(hasDefault && { default: answerOf(kind, kind === 'approval' ? 'deny' : DEFAULT) }),
  };
  const body = { token: held.token, key, ...given };
  return {
    request: { method: 'POST', path: `${leasePath(held)}/input-requests`, body },
    accept: ofLease(held, (agent, task, reply, { alone }) => {
      const known = task.talk.requests.find((request) => request.key === key);
      if (known) {
        expectStatus(reply, known.kind === kind && known.hasDefault === hasDefault ? 200 : 422);
        // The reply has what is read after the check of the lease.
        if (reply.status === 200 && alone) expectSame('state', reply.body.state, known.state);
        return;
      }
      if (!task.lease?.accepts.includes('input')) return expectError(reply, 409, 'input_not_accepted');
      expectStatus(reply, 201);
      talks.ask(agent, task, { ...asked, id: reply.body.id });
    }),
  };
}

export function withdraw(held: LeaseRef, { id, key }: RequestRef): Operation {
  return {
    request: {
      method: 'DELETE',
      path: `${leasePath(held)}/input-requests/${id}`,
      headers: { 'x-lease-token': held.token },
    },
    accept: ofLease(held, (agent, task, reply, { step }) => {
      expectStatus(reply, 204);
      talks.withdraw(
        agent,
        task,
        openOf(task.talk).filter((request) => request.key === key),
        step,
      );
    }),
  };
}

/** `isWrong`: in a form that the request does not want. */
export function answer(
  target: TaskRef,
  { id, key, kind }: RequestRef,
  { text, isWrong }: { text: string; isWrong: boolean },
): Operation {
  const isOption = kind === 'approval' || key.startsWith(INTERRUPTION);
  const body = isWrong ? { option_ids: ['nope'] } : isOption ? { option_ids: [text] } : { text };
  return {
    request: { method: 'PUT', path: `${taskPath(target)}/input-requests/${id}/answer`, body },
    accept: ofTask(target, undefined, (agent, task, reply, { step }) => {
      if (isWrong) return expectStatus(reply, 400);
      const request = task.talk.requests.find((one) => one.key === key) as ModelRequest;
      request.id = id;
      if (request.state === 'open') {
        const stops = key.startsWith(INTERRUPTION) && text === 'stop';
        talks.answer(agent, task, request, { text, stops, order: step });
      } else if (request.state !== 'answered') return expectError(reply, 409, 'input_request_closed');
      else if (request.answer !== text) return expectError(reply, 409, 'already_answered');
      expectStatus(reply, 200);
      expectSame('answer', toAnswer(reply.body.answer), text);
    }),
  };
}

export function readInbox(held: LeaseRef, after: number | undefined): Operation {
  return {
    request: {
      method: 'GET',
      path: `${leasePath(held)}/inbox${after === undefined ? '' : `?after=${after}`}`,
      headers: { 'x-lease-token': held.token },
    },
    accept: ofLease(held, (_agent, task, reply) => {
      const { talk } = task;
      if (after !== undefined && after > talk.last) return expectStatus(reply, 400);
      expectStatus(reply, 200);
      talk.inbox = talk.inbox.filter(({ n }) => n > (after ?? 0));
      expectSame(
        'inbox',
        reply.body.items.map(toItem),
        talk.inbox.map((item) => itemView(item, task)),
      );
    }),
  };
}

function toItem({ request_id, message_id, answer: given, ...item }: Reply['body']['items'][number]): object {
  if (item.type === 'answer') return { n: item.n, type: item.type, request_id, answer: toAnswer(given) };
  return item;
}

function itemView(item: ModelTask['talk']['inbox'][number], { talk }: ModelTask): object {
  if (item.type !== 'answer') return item;
  const { n, type, key } = item;
  const request = talk.requests.find((one) => one.key === key);
  return { n, type, request_id: request?.id, answer: request && answerView(request) };
}

export function say(target: TaskRef, text: string, mode: 'queue' | 'steer' | 'interrupt'): Operation {
  return {
    request: { method: 'POST', path: `${taskPath(target)}/messages`, body: { text, mode } },
    accept: ofTask(target, undefined, (agent, task, reply, { step }) => {
      if (isEnded(task)) return expectError(reply, 409, 'task_ended');
      if (task.lease && !task.lease.accepts.includes('messages')) {
        return expectError(reply, 409, 'messages_not_supported');
      }
      expectStatus(reply, 202);
      talks.say(agent, task, { id: reply.body.id, text, mode, order: step });
    }),
    remember({ said }, { status, body }) {
      if (status === 202) said.push({ ...target, messageId: body.id });
    },
  };
}

export function reportMessage(held: LeaseRef, messageId: string, as: string | null): Operation {
  const state = as === null ? ('dropped' as const) : ('delivered' as const);
  const body = { token: held.token, state, ...(as !== null && { as }) };
  return {
    request: { method: 'PUT', path: `${leasePath(held)}/messages/${messageId}`, body },
    accept: ofLease(held, (agent, task, reply, { step }) => {
      expectStatus(reply, 204);
      talks.takeMessage(agent, task, { id: messageId, state, as, order: step });
    }),
  };
}

export function interrupt(target: TaskRef): Operation {
  return {
    request: { method: 'PUT', path: `${taskPath(target)}/interruption` },
    interrupts: target,
    accept: ofTask(target, undefined, (_agent, task, reply) => {
      if (task.status === 'input_required') return expectStatus(reply, 200);
      if (task.status !== 'running') return expectError(reply, 409, 'task_not_running');
      if (!task.lease?.accepts.includes('interrupt')) return expectError(reply, 409, 'messages_not_supported');
      expectStatus(reply, 202);
      talks.requestInterruption(task);
    }),
  };
}

export function confirm(held: LeaseRef): Operation {
  return {
    request: { method: 'PUT', path: `${leasePath(held)}/interruption`, body: { token: held.token } },
    accept: ofLease(held, (agent, task, reply) => {
      expectStatus(reply, 204);
      if (task.talk.isInterrupted) talks.interrupted(agent, task);
    }),
  };
}

export function suspend(held: LeaseRef, hasSession: boolean): Operation {
  const { number, token } = held;
  const sent = { session: hasSession ? { runtime: 'fake', id: 's1' } : undefined, state: 1 };
  const report = JSON.stringify(sent);
  const acceptFirst = ofLease(held, (agent, task, reply) => {
    if (openOf(task.talk).length === 0) return expectError(reply, 409, 'nothing_to_wait_for');
    expectStatus(reply, 200);
    talks.suspend(agent, task);
    if (task.status === 'input_required') task.reported = { number, token, report };
    expectTask(reply.body, agent, task);
  });
  return {
    request: { method: 'PUT', path: `${leasePath(held)}/suspension`, body: { token, ...sent } },
    accept: ofReport(held, report, acceptFirst),
  };
}
