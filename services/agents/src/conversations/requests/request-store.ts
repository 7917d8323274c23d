import { parseRecord } from '../../contract/fields.ts';
import { type ListPage, pageOf, type RecordPage, readPage, refuseDeepSkip } from '../../contract/lists.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import type { RequestIndex } from '../../redis/keys.ts';
import { createTaskIndex, isOneIndex } from '../../tasks/store/task-index.ts';
import { toAnswer } from './answers.ts';
import type { AnswerInput, InputRequest } from './request.ts';

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

    /** A page of the requests in some indexes, as many as fit into it. @throws 400 */
    async list(requested: readonly RequestIndex[], page: ListPage): Promise<RecordPage> {
      const indexes = requested.map(keys.inputRequests);
      if (!isOneIndex({ indexes }, page)) refuseDeepSkip(page);
      // Members are `<id>:<task>`.
      const after = page.after !== undefined && page.order === 'asc' ? `${page.after}:~` : page.after;
      const members = await index.read({ indexes }, { ...page, after });
      const found = await readPage(members, (step) => Promise.all(step.map(readMember)));
      return found.next ? { ...found, next: { after: toId(found.next.after) } } : found;
    },

    /** The same of one task; with indexes, only those that one of these has. */
    async listOfTask(taskId: string, page: ListPage, indexes?: readonly RequestIndex[]): Promise<RecordPage> {
      const ids = (await redis.hkeys(keys.requests(taskId))).filter((field) => !field.includes(':')).sort();
      const members = ids.map((id) => `${id}:${taskId}`);
      const scores = await Promise.all(
        (indexes ?? []).map((one) => (ids.length > 0 ? redis.zmscore(keys.inputRequests(one), members) : [])),
      );
      const found = ids.filter((_, at) => !indexes || scores.some((list) => list[at] != null));
      return readPage(pageOf(found, page), (step) => Promise.all(step.map((id) => read(taskId, id))));
    },
  };

  function readMember(member: string): Promise<string | undefined> {
    const [id, taskId] = member.split(':') as [string, string];
    return read(taskId, id);
  }
}

const toId = (member: string) => member.slice(0, member.indexOf(':'));

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
