import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import { encodeTags } from './stored-task.ts';
import type { Task } from './task.ts';

/** Tasks per script: each may be in 44 indexes for each of its types. Without tags a script takes about 1 ms. */
const STEP = 25;

export type AgentTasks = ReturnType<typeof createAgentTasks>;

/**
 * Changes of all tasks of an agent, in steps that can be repeated. Each runs until it is done, or until `signal` is
 * aborted: the background job continues it then, as after a crash.
 */
export function createAgentTasks({ redis, keys }: FleetContext) {
  const purgeTasks = loadFleetScript(redis, keys, 'purge-tasks');
  const retypeTasks = loadFleetScript(redis, keys, 'retype-tasks');

  async function readTasks(taskIds: string[]) {
    const texts = await redis.mget([...taskIds.map(keys.task), ...taskIds.map(keys.state)]);
    return taskIds.flatMap((id, at) => {
      const [json, state] = [texts[at], texts[at + taskIds.length]];
      if (!json || !state) return [];
      const { status, tags } = JSON.parse(json) as Task;
      return [{ id, state, status, tags: encodeTags(tags) }];
    });
  }

  return {
    /** Removes the tasks of a deleted agent. */
    async purge(agentId: string, signal: AbortSignal): Promise<void> {
      const types = await redis.hget(keys.purges, agentId);
      if (types === null) return;
      while (!signal.aborted) {
        const taskIds = await redis.zrange(keys.tasks({ agent: agentId }), 0, `${STEP - 1}`);
        const tasks = taskIds.length > 0 ? await readTasks(taskIds) : [];
        // Otherwise another replica has removed them meanwhile.
        if (tasks.length === taskIds.length) await purgeTasks({ agent: agentId, types: types.split(' '), tasks });
        if (taskIds.length === 0) return;
      }
    },

    /** Moves the tasks to the agent's current type in the indexes. */
    async retype(agentId: string, signal: AbortSignal): Promise<void> {
      const [retyped, moved] = await redis.hmget(keys.agent(agentId), 'retyped', 'moved');
      if (!retyped) return;
      const index = keys.tasks({ agent: agentId });
      for (let last = moved; !signal.aborted; ) {
        // By id, not by rank, as tasks are added and deleted meanwhile.
        const taskIds = await redis.zrangebylex(index, last ? `(${last}` : '-', '+', 'LIMIT', 0, STEP);
        const tasks = taskIds.length > 0 ? await readTasks(taskIds) : [];
        // To the script, no tasks means that all have moved.
        if (tasks.length > 0 || taskIds.length === 0) {
          const [outcome] = await retypeTasks({ agent: agentId, retyped, tasks });
          if (outcome === 'outdated') return;
        }
        if (taskIds.length === 0) return;
        last = taskIds.at(-1);
      }
    },
  };
}
