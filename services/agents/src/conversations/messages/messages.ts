import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { detailError, type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import { auditOf } from '../../audit/audit.ts';
import { originOf } from '../../contract/callers.ts';
import { requireRef } from '../../contract/leases.ts';
import { pageOf, toPageReply } from '../../contract/lists.ts';
import { notFound } from '../../contract/parameters.ts';
import type { Idempotency } from '../../idempotency/idempotency.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import * as rules from '../../tasks/rules/conversation-rules.ts';
import { INTERRUPTION } from '../../tasks/rules/interruption.ts';
import { isEnded } from '../../tasks/rules/task-rules.ts';
import type { StoredTask, TaskState } from '../../tasks/rules/task-state.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import type * as contract from './contract.ts';
import type { Message, Mode } from './contract.ts';
import { createMessageStore, type MessageStore } from './message-store.ts';

const MAX_UNDELIVERED = 100;
const MAX_MESSAGES = 500;

interface MessageParts {
  tasks: Tasks;
  store: MessageStore;
  idempotency: Idempotency;
}

/** The operations on messages of people, and interruptions. */
export function createMessages(
  context: FleetContext,
  { tasks, idempotency }: Pick<MessageParts, 'tasks' | 'idempotency'>,
) {
  const store = createMessageStore(context);
  const parts = { tasks, store, idempotency };
  return {
    operations: { ...createSending(context, parts), ...createInterruptions(parts), ...createReports(parts) },
    store,
  };
}

function createSending({ clock }: FleetContext, { tasks, store, idempotency }: MessageParts) {
  return {
    async send({ params, body, req }: Input<typeof contract.sendMessage>): Promise<Reply> {
      const { agent_id, task_id } = params;
      const { text, mode } = body;
      const by = originOf(req).created_by;
      const audit = auditOf(req, 'task.message_sent', task_id);
      const sent = await idempotency(
        req,
        async (id, kept) => {
          let reply = '';
          const changed = await tasks.change<HttpError>(agent_id, task_id, (stored, now) => {
            const refused = findRefusal(stored);
            if (refused) return { refused };
            const delivery = deliveryOf(stored.state, mode);
            const message: Message = {
              ...{ id, mode, text, by, state: 'queued', delivered_as: delivery === mode ? null : delivery },
              ...{ created_at: new Date(clock.now()).toISOString(), delivered_at: null },
            };
            reply = JSON.stringify(message);
            const { digest, bodyDigest, expected } = kept ?? {};
            return {
              ...rules.addMessage(stored, { id, mode: delivery, by, text, record: reply }, now),
              ...(kept && {
                kept: { digest: digest as string, expected: expected as string, value: `${bodyDigest} ${reply}` },
              }),
              audit,
            };
          });
          if (changed.outcome === 'kept') return changed;
          if (changed.outcome === 'refused') return { outcome: 'refused', error: changed.refused } as const;
          return 'json' in changed ? ({ outcome: 'created', json: reply } as const) : changed;
        },
        toSent,
      );
      if (sent.outcome === 'created') return toSent(sent.json);
      if (sent.outcome === 'replayed') return sent.reply;
      if (sent.outcome === 'refused') throw sent.error;
      throw notFound(sent);
    },

    async list({ params, query, req }: Input<typeof contract.listMessages>): Promise<Reply> {
      const { agent_id, task_id } = params;
      const found = await tasks.reader.readForChange(agent_id, task_id);
      if (found.outcome !== 'found') throw notFound(found);
      const page = await store.readPage(task_id, pageOf(await store.idsOf(task_id), query), found.state);
      return toPageReply(req.originalUrl, query, page);
    },
  };
}

const toSent = (json: string): Reply => ({ status: 202, json });

/** Finds why nothing can be said to a task. */
function findRefusal({ task, state }: StoredTask): HttpError | undefined {
  const { messages = 0, undelivered = [] } = state.conversation ?? {};
  if (isEnded(task)) return httpError('task_ended', `The task has ${task.status}: continue it by a new one`);
  if (state.lease && !state.lease.accepts?.includes('messages')) return notSupported('messages');
  if (undelivered.length >= MAX_UNDELIVERED) {
    return httpError('too_many_messages', `The task has ${MAX_UNDELIVERED} messages that are not delivered`);
  }
  return messages < MAX_MESSAGES
    ? undefined
    : httpError('too_many_messages', `The task has had ${MAX_MESSAGES} messages`);
}

const notSupported = (what: string) => httpError('messages_not_supported', `The worker of this task takes no ${what}`);

/** How the worker gets a message: what it cannot do is queued. */
function deliveryOf({ lease }: TaskState, mode: Mode): Mode {
  return !lease || mode === 'queue' || lease.accepts?.includes(mode) ? mode : 'queue';
}

function createInterruptions({ tasks }: MessageParts) {
  return {
    async interrupt({ params, req }: Input<typeof contract.interruptTask>): Promise<Reply> {
      const { agent_id, task_id } = params;
      const audit = auditOf(req, 'task.interrupted', task_id);
      const changed = await tasks.change<HttpError>(agent_id, task_id, (stored, now) => {
        const { task, state } = stored;
        if (task.status === 'input_required') return undefined;
        if (task.status !== 'running') return { refused: httpError('task_not_running', `The task is ${task.status}`) };
        if (!state.lease?.accepts?.includes('interrupt')) return { refused: notSupported('interruptions') };
        if (state.conversation?.interruptedAt !== undefined) return undefined;
        return { ...rules.requestInterruption(stored, now), audit };
      });
      if (changed.outcome === 'refused') throw changed.refused;
      if (!('json' in changed)) throw notFound(changed);
      const open = changed.state?.conversation?.open.find(({ key }) => key.startsWith(INTERRUPTION));
      const isWaiting = changed.task.status === 'input_required';
      return json({ request_id: open?.id ?? null }, isWaiting ? 200 : 202);
    },

    async confirm({ params, body }: Input<typeof contract.confirmInterruption>): Promise<Reply> {
      await tasks.held.changeHeld(requireRef(params), body.token, (stored, now) => {
        const { interruptedAt } = stored.state.conversation ?? {};
        return interruptedAt === undefined ? undefined : rules.openInterruption(stored, now);
      });
      return { status: 204 };
    },
  };
}

function createReports({ tasks, store }: MessageParts) {
  return {
    async report({ params, body }: Input<typeof contract.reportMessage>): Promise<Reply> {
      const { token, state, as } = body;
      const { message_id: id } = params;
      const ref = requireRef(params);
      const changed = await tasks.held.changeHeld(ref, token, (stored, now) => {
        if (!stored.state.conversation?.undelivered.some((message) => message.id === id)) return undefined;
        const isDelivered = state === 'delivered';
        const delivered_at = isDelivered ? new Date(now).toISOString() : null;
        const record = JSON.stringify({ state, delivered_as: isDelivered ? as : null, delivered_at });
        return rules.takeMessage(stored, { id, record, isInterrupt: isDelivered && as === 'interrupt' }, now);
      });
      if (changed.outcome === 'unchanged' && !(await store.has(ref.taskId, id)))
        throw detailError(404, 'Message not found');
      return { status: 204 };
    },
  };
}
