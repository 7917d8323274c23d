import type { IdPage, RecordPage } from '../../contract/lists.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import type { TaskState } from '../../tasks/rules/task-state.ts';
import type { Message } from './contract.ts';

/** A page of large messages ends after this size. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
const STEP = 20;

export type MessageStore = ReturnType<typeof createMessageStore>;

/** Reads messages of people to a task. */
export function createMessageStore({ redis, keys }: FleetContext) {
  return {
    has: async (taskId: string, id: string) => (await redis.hget(keys.messages(taskId), id)) !== null,

    async textOf(taskId: string, id: string): Promise<string> {
      return (JSON.parse((await redis.hget(keys.messages(taskId), id)) as string) as Message).text;
    },

    /** The ids of all messages of a task, oldest first. */
    async idsOf(taskId: string): Promise<string[]> {
      const fields = await redis.hkeys(keys.messages(taskId));
      return fields.filter((field) => !field.startsWith('end:')).sort();
    },

    /** Reads the messages of a page, as many as fit into it. */
    async readPage(taskId: string, page: IdPage, { lease, conversation }: TaskState): Promise<RecordPage> {
      const unread = new Set(conversation?.inbox.map((item) => (item.type === 'message' ? item.message : '')));
      const records: string[] = [];
      let passed = 0;
      for (let bytes = 0; passed < page.ids.length && bytes < MAX_PAGE_BYTES; ) {
        const ids = page.ids.slice(passed, passed + STEP);
        const found = await redis.hmget(keys.messages(taskId), ...ids.flatMap((id) => [id, `end:${id}`]));
        for (const [at, id] of ids.entries()) {
          passed += 1;
          const [record, end] = found.slice(2 * at, 2 * at + 2);
          if (!record) continue;
          const state = lease && !unread.has(id) ? { state: 'received' } : {};
          records.push(JSON.stringify({ ...JSON.parse(record), ...(end ? JSON.parse(end) : state) }));
          bytes += record.length;
        }
      }
      const { ids, next } = page;
      return {
        ...page,
        passed,
        records,
        next: passed < ids.length ? { after: ids[passed - 1] as string } : (next ?? null),
      };
    },
  };
}
