import { isId } from '@agent-fleet/shared/ids';
import type { RecordPage } from '../../contract/lists.ts';
import type { Missing } from '../../contract/parameters.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { loadFleetScript } from '../../redis/scripts.ts';
import { isEnded } from '../rules/task-rules.ts';
import { idsOf, type StoredTask, toStoredTask } from '../rules/task-state.ts';
import type { Task } from '../task.ts';

const MIB = 1024 * 1024;
/** A page of large records ends after this size, with a `next` link to the rest. */
const MAX_PAGE_BYTES = 8 * MIB;
/** That of one read: to copy as much takes about 1 ms. */
const MAX_READ_BYTES = MIB;

export type TaskReader = ReturnType<typeof createTaskReader>;

/** Reads tasks. A record is the served JSON text. */
export function createTaskReader(context: FleetContext) {
  const { redis, keys } = context;
  const readTasks = loadFleetScript(context, 'tasks/store/read-tasks');

  /** Reads a record in one round trip. */
  async function read(agentId: string, taskId: string): Promise<{ outcome: 'found'; json: string } | Missing> {
    if (!isId(agentId)) return { outcome: 'agent missing' };
    const [agent, json] = await Promise.all([redis.exists(keys.agent(agentId)), redis.get(keys.task(taskId))]);
    if (agent === 0) return { outcome: 'agent missing' };
    return json !== null && idsOf(json).agent_id === agentId ? { outcome: 'found', json } : { outcome: 'missing' };
  }

  return {
    read,

    /** Reads a record with its state in one round trip. */
    async readForChange(agentId: string, taskId: string): Promise<({ outcome: 'found' } & StoredTask) | Missing> {
      if (!isId(agentId)) return { outcome: 'agent missing' };
      // The state first: a change in between then fails by compare-and-set, instead of passing with an old record.
      const [agent, stateText, json] = await Promise.all([
        redis.exists(keys.agent(agentId)),
        redis.get(keys.state(taskId)),
        redis.get(keys.task(taskId)),
      ]);
      if (agent === 0) return { outcome: 'agent missing' };
      if (!json || !stateText || idsOf(json).agent_id !== agentId) return { outcome: 'missing' };
      return { outcome: 'found', ...toStoredTask(json, stateText) };
    },

    /** Reads the records of a page of tasks, as many as fit into it. */
    async readRecords(ids: readonly string[]): Promise<Pick<RecordPage, 'passed' | 'records'>> {
      const records: (string | null)[] = [];
      for (let bytes = 0; records.length < ids.length && bytes < MAX_PAGE_BYTES; ) {
        const args = { ids: ids.slice(records.length), bytes: Math.min(MAX_READ_BYTES, MAX_PAGE_BYTES - bytes) };
        for (const record of (await readTasks(args)) as (string | null)[]) {
          bytes += record?.length ?? 0;
          records.push(record);
        }
      }
      // Without those that were deleted meanwhile.
      return { passed: records.length, records: records.filter((record) => record !== null) };
    },

    /** Whether more events of a task may follow. */
    async findEnd(agentId: string, taskId: string): Promise<'open' | 'ended' | 'gone'> {
      const found = await read(agentId, taskId);
      if (found.outcome === 'agent missing') return 'gone';
      return found.outcome === 'missing' || isEnded(JSON.parse(found.json) as Task) ? 'ended' : 'open';
    },

    /** Finds the worker that last ran the task that another one continues; undefined when there is none. */
    async findLastWorker(agentId: string, continueOf: string | null): Promise<string | undefined> {
      if (continueOf === null) return undefined;
      const json = await redis.get(keys.task(continueOf));
      // It may have been deleted since the other one was created, of which this is a retry.
      if (json === null || idsOf(json).agent_id !== agentId) return undefined;
      return (JSON.parse(json) as Task).worker_id ?? undefined;
    },

    /** Returns ended attempts as JSON texts, oldest first. */
    readAttempts: (taskId: string) => redis.lrange(keys.attempts(taskId), 0, -1),
  };
}
