import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { validationError } from '@agent-fleet/shared/http/errors';
import type { Response } from 'express';
import { requireRef } from '../../contract/leases.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { type Conversation, NO_CONVERSATION } from '../../tasks/rules/conversation.ts';
import { acknowledge } from '../../tasks/rules/conversation-rules.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import type { MessageStore } from '../messages/message-store.ts';
import type { InputRequest } from '../requests/request.ts';
import type { RequestStore } from '../requests/request-store.ts';
import type { InboxItem, readInbox } from './contract.ts';

const MAX_ITEMS = 100;

/** Calls back when the inbox of a task may have new items, until the returned function is called. */
export type OnItems = (taskId: string, listener: () => void) => () => void;

interface InboxParts {
  tasks: Tasks;
  requests: RequestStore;
  messages: MessageStore;
  onItems: OnItems;
}

/** The operation by which a worker reads what people say. */
export function createInbox({ admitWait }: FleetContext, { tasks, requests, messages, onItems }: InboxParts) {
  const { changeHeld, requireToken } = tasks.held;
  const stops = new Set<() => void>();

  async function toItem(taskId: string, item: Conversation['inbox'][number]): Promise<InboxItem> {
    const { n, type } = item;
    if (type === 'answer') {
      const request = JSON.parse((await requests.read(taskId, item.request)) as string) as InputRequest;
      return { n, type, request_id: item.request, answer: request.answer };
    }
    if (type === 'message') {
      return { n, type, message_id: item.message, text: await messages.textOf(taskId, item.message), mode: item.mode };
    }
    return type === 'cancel' ? { n, type, reason: item.reason } : { n, type };
  }

  /** Reads until there are items, the time is over, or the client or this replica goes. */
  async function readWaiting<Item>(
    read: () => Promise<Item[]>,
    { taskId, waitMs, res }: { taskId: string; waitMs: number; res: Response },
  ): Promise<Item[]> {
    const leave = admitWait(res);
    let isOver = false;
    let changed = Promise.withResolvers<void>();
    const off = onItems(taskId, () => changed.resolve());
    const stop = () => {
      isOver = true;
      changed.resolve();
    };
    const timer = setTimeout(stop, waitMs);
    res.once('close', stop);
    stops.add(stop);
    try {
      for (;;) {
        const items = await read();
        if (items.length > 0 || isOver) return items;
        await changed.promise;
        changed = Promise.withResolvers<void>();
      }
    } finally {
      leave();
      off();
      clearTimeout(timer);
      res.off('close', stop);
      stops.delete(stop);
    }
  }

  return {
    async read({ params, query, req, res }: Input<typeof readInbox>): Promise<Reply> {
      const ref = requireRef(params);
      const token = await requireToken(req, params);
      const { after = 0, wait = 0 } = query;
      const readItems = async () => {
        const { state } = await changeHeld(ref, token, (stored) => {
          const { last } = stored.state.conversation ?? NO_CONVERSATION;
          return after > last ? { refused: beyondLast(last) } : acknowledge(stored, after);
        });
        return state?.conversation?.inbox.slice(0, MAX_ITEMS) ?? [];
      };
      const { taskId } = ref;
      const items = await (wait > 0 ? readWaiting(readItems, { taskId, waitMs: wait * 1_000, res }) : readItems());
      return json({ items: await Promise.all(items.map((item) => toItem(taskId, item))) });
    },

    /** Ends all waits. */
    endWaits(): void {
      for (const stop of stops) stop();
    },
  };
}

const beyondLast = (last: number) =>
  validationError([{ path: 'after', code: 'too_big', message: `must be at most ${last}, the last item` }]);
