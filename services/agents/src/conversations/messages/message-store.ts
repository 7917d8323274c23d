import { type IdPage, type RecordPage, readPage } from '../../contract/lists.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import type { TaskState } from '../../tasks/rules/task-state.ts';
import type { Message } from './contract.ts';

export type MessageStore = ReturnType<typeof createMessageStore>;

/** Reads messages of people to a task. */
export function createMessageStore({ redis, keys }: FleetContext) {
  return {
    has: async (taskId: string, id: string) => (await redis.hget(keys.messages(taskId), id)) !== null,

    async textOf(taskId: string, id: string): Promise<string | undefined> {
      const record = await redis.hget(keys.messages(taskId), id);
      return record === null ? undefined : (JSON.parse(record) as Message).text;
    },

    /** The ids of all messages of a task, oldest first. */
    async idsOf(taskId: string): Promise<string[]> {
      const fields = await redis.hkeys(keys.messages(taskId));
      return fields.filter((field) => !field.startsWith('end:')).sort();
    },

    /** Reads the messages of a page, as many as fit into it. */
    readPage(taskId: string, page: IdPage, { lease, conversation }: TaskState): Promise<RecordPage> {
      const unread = new Set(conversation?.inbox.map((item) => (item.type === 'message' ? item.message : '')));
      return readPage(page, async (ids) => {
        const found = await redis.hmget(keys.messages(taskId), ...ids.flatMap((id) => [id, `end:${id}`]));
        return ids.map((id, at) => {
          const [record, end] = found.slice(2 * at, 2 * at + 2);
          const state = lease && !unread.has(id) ? { state: 'received' } : {};
          return record ? JSON.stringify({ ...JSON.parse(record), ...(end ? JSON.parse(end) : state) }) : undefined;
        });
      });
    },
  };
}
