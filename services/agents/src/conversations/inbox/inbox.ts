import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { validationError } from '@agent-fleet/shared/http/errors';
import { parseRecord } from '../../contract/fields.ts';
import { requireRef } from '../../contract/leases.ts';
import { leaseNotFound } from '../../contract/parameters.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { type Conversation, NO_CONVERSATION } from '../../tasks/rules/conversation.ts';
import { acknowledge } from '../../tasks/rules/conversation-rules.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import type { MessageStore } from '../messages/message-store.ts';
import type { InputRequest } from '../requests/request.ts';
import type { RequestStore } from '../requests/request-store.ts';
import type { InboxItem, readInbox } from './contract.ts';

const MAX_ITEMS = 100;

/** Calls back when the inbox may have new items, or the lease has ended, until the returned function is called. */
export type OnItems = (taskId: string, listener: () => void) => () => void;

interface InboxParts {
  tasks: Tasks;
  requests: RequestStore;
  messages: MessageStore;
  onItems: OnItems;
}

/** The operation by which a worker reads what people say. */
export function createInbox({ waits }: FleetContext, { tasks, requests, messages, onItems }: InboxParts) {
  const { changeHeld, requireToken } = tasks.held;

  /** @throws 404 when the task was deleted meanwhile */
  async function toItem(taskId: string, item: Conversation['inbox'][number]): Promise<InboxItem> {
    const { n, type } = item;
    if (type === 'answer') {
      const request = parseRecord(required(await requests.read(taskId, item.request))) as InputRequest;
      return { n, type, request_id: item.request, answer: request.answer };
    }
    if (type === 'message') {
      const text = required(await messages.textOf(taskId, item.message));
      return { n, type, message_id: item.message, text, mode: item.mode };
    }
    return type === 'cancel' ? { n, type, reason: item.reason } : { n, type };
  }

  return {
    async readInbox({ params, query, req, res }: Input<typeof readInbox>): Promise<Reply> {
      const ref = requireRef(params);
      const token = await requireToken(req, params);
      const { after = 0, wait = 0 } = query;
      const { taskId } = ref;
      const read = async () => {
        const { state } = await changeHeld(ref, token, (stored) => {
          const { last } = stored.state.conversation ?? NO_CONVERSATION;
          return after > last ? { refused: beyondLast(last) } : acknowledge(stored, after);
        });
        return state?.conversation?.inbox.slice(0, MAX_ITEMS) ?? [];
      };
      const listen = (onChange: () => void) => onItems(taskId, onChange);
      const isDone = (found: unknown[]) => found.length > 0;
      const items =
        wait > 0 ? await waits.readUntil({ res, timeoutMs: wait * 1_000, listen, read, isDone }) : await read();
      return json({ items: await Promise.all(items.map((item) => toItem(taskId, item))) });
    },
  };
}

function required(text: string | undefined): string {
  if (text === undefined) throw leaseNotFound();
  return text;
}

const beyondLast = (last: number) =>
  validationError([{ path: 'after', code: 'too_big', message: `must be at most ${last}, the last item` }]);
