import { parseRecord } from '../../contract/fields.ts';
import type { IdPage, ListPage, RecordPage } from '../../contract/lists.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import type { RequestIndex } from '../../redis/keys.ts';
import { createTaskIndex } from '../../tasks/store/task-index.ts';
import { toAnswer } from './answers.ts';
import type { AnswerInput, InputRequest } from './request.ts';

/** A page of large requests ends after this size. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
/** Requests of one read. */
const STEP = 20;

export type RequestStore = ReturnType<typeof createRequestStore>;

/** Reads input requests. A record is the served JSON text. */
export function createRequestStore(context: FleetContext) {
  const { redis, keys } = context;
  const index = createTaskIndex(context);

  async function read(taskId: string, id: string): Promise<string | undefined> {
    const [record, end] = await redis.hmget(keys.requests(taskId), id, `end:${id}`);
    return record ? toServed(record, end ?? null) : undefined;
  }

  return {
    read,

    /** The id of the request with a key, and the digest of what the worker had sent. */
    async findByKey(taskId: string, key: string): Promise<{ id: string; digest: string } | undefined> {
      const [id, digest = ''] = (await redis.hget(keys.requests(taskId), `key:${key}`))?.split(' ') ?? [];
      return id ? { id, digest } : undefined;
    },

    /** The ids of all requests of a task, oldest first. */
    async idsOf(taskId: string): Promise<string[]> {
      const fields = await redis.hkeys(keys.requests(taskId));
      return fields.filter((field) => !field.includes(':')).sort();
    },

    /** A page of the requests in some indexes. The ids are names of members: id and task. */
    async list(indexes: readonly RequestIndex[], page: ListPage): Promise<IdPage> {
      const after = page.after !== undefined && page.order === 'asc' ? `${page.after}:~` : page.after;
      const found = await index.read({ indexes: indexes.map(keys.inputRequests) }, { ...page, after });
      return found.next ? { ...found, next: { after: found.next.after.split(':')[0] as string } } : found;
    },

    /** Reads the requests of a page, as many as fit into it. */
    async readPage(page: IdPage): Promise<RecordPage> {
      const records: string[] = [];
      let passed = 0;
      for (let bytes = 0; passed < page.ids.length && bytes < MAX_PAGE_BYTES; ) {
        const step = page.ids.slice(passed, passed + STEP).map((member) => member.split(':') as [string, string]);
        for (const record of await Promise.all(step.map(([id, task]) => read(task, id)))) {
          passed += 1;
          if (record === undefined) continue;
          bytes += record.length;
          records.push(record);
        }
      }
      const { ids, next } = page;
      if (next === undefined || passed === ids.length) return { ...page, passed, records };
      return { ...page, passed, records, next: { after: ids[passed - 1]?.split(':')[0] as string } };
    },
  };
}

/** Adds the end of a request to its record. */
function toServed(record: string, end: string | null): string {
  if (end === null) return `${record.slice(0, -1)},"state":"open","answer":null}`;
  if (end.startsWith('{"state":"answered"')) return `${record.slice(0, -1)},${end.slice(1)}`;
  return JSON.stringify(toExpired(record, end));
}

/** The default of an expired request is its answer; a withdrawn one has none. */
function toExpired(record: string, end: string): InputRequest {
  const request = parseRecord(record) as InputRequest;
  const { state, at } = JSON.parse(end) as { state: 'expired' | 'withdrawn'; at: string };
  const given = request.default as AnswerInput | null;
  const answer = state === 'expired' && given ? toAnswer(request, given, null, at) : null;
  return { ...request, state, answer };
}
