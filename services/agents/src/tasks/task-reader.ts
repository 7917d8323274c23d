import { isId } from '../contract/ids.ts';
import type { Missing } from '../contract/not-found.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { idsOf, type StoredTask, toStoredTask } from './stored-task.ts';
import type { Task } from './task.ts';
import { isEnded } from './task-rules.ts';

export type TaskReader = ReturnType<typeof createTaskReader>;

/** Reads tasks. A record is the served JSON text. */
export function createTaskReader({ redis, keys }: FleetContext) {
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

    /** Whether more events of a task may follow. */
    async findEnd(agentId: string, taskId: string): Promise<'open' | 'ended' | 'gone'> {
      const found = await read(agentId, taskId);
      if (found.outcome === 'agent missing') return 'gone';
      return found.outcome === 'missing' || isEnded(JSON.parse(found.json) as Task) ? 'ended' : 'open';
    },

    /** Returns ended attempts as JSON texts, oldest first. */
    readAttempts: (taskId: string) => redis.lrange(keys.attempts(taskId), 0, -1),
  };
}
