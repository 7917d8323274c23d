import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import { encodeTags, encodeWorker } from './stored-task.ts';
import type { Task } from './task.ts';
import { parseState } from './task-state.ts';

/** Tasks read at once. */
const PAGE = 25;
/** Writes of one script: 300 take about 1 ms. */
const MAX_WRITES = 300;

/** What the scripts need of a task. */
interface IndexedTask {
  id: string;
  state: string;
  status: string;
  tags: string[];
  worker: string | undefined;
  /** The worker that it may be reserved for. */
  reserved: string | undefined;
  owner: string | undefined;
}

export type AgentTasks = ReturnType<typeof createAgentTasks>;

/**
 * Changes of all tasks of an agent, in steps that can be repeated. Each takes at least one step, and runs until it is
 * done or `signal` is aborted: the background job continues it then, as after a crash.
 */
export function createAgentTasks(context: FleetContext) {
  const { redis, keys } = context;
  const purgeTasks = loadFleetScript(context, 'purge-tasks');
  const retypeTasks = loadFleetScript(context, 'retype-tasks');

  async function readTasks(taskIds: string[]): Promise<IndexedTask[]> {
    if (taskIds.length === 0) return [];
    const texts = await redis.mget([...taskIds.map(keys.task), ...taskIds.map(keys.state)]);
    return taskIds.flatMap((id, at) => {
      const [json, state] = [texts[at], texts[at + taskIds.length]];
      if (!json || !state) return [];
      const { status, tags, worker_id } = JSON.parse(json) as Task;
      const { owner, reservation } = parseState(state).state;
      const workers = { worker: encodeWorker(worker_id), reserved: encodeWorker(reservation?.workerId) };
      return [{ id, state, status, tags: encodeTags(tags), ...workers, owner }];
    });
  }

  return {
    /** Removes the tasks of a deleted agent. */
    async purge(agent: string, signal: AbortSignal): Promise<void> {
      const types = (await redis.hget(keys.purges, agent))?.split(' ');
      if (types === undefined) return;
      for (let done = false; !done; ) {
        const taskIds = await redis.zrange(keys.tasks({ agent }), 0, `${PAGE - 1}`);
        const found = await readTasks(taskIds);
        // Another replica removes them.
        if (found.length < taskIds.length) return;
        const tasks = firstStep(found, types.length + 2);
        done = taskIds.length < PAGE && tasks.length === found.length;
        await purgeTasks({ agent, types, tasks, done });
        if (signal.aborted) return;
      }
    },

    /** Moves the tasks to the agent's current type in the indexes. */
    async retype(agent: string, signal: AbortSignal): Promise<void> {
      const fields = await redis.hmget(keys.agent(agent), 'retyped', 'was', 'until', 'moved');
      const [retyped, was, until] = fields;
      if (!retyped) return;
      const indexes = `${was}`.split(' ').length + 1;
      let last = fields[3];
      for (let done = false; !done; ) {
        // By id, not by rank, as tasks are deleted meanwhile.
        const start = last ? `(${last}` : '-';
        const taskIds = await redis.zrangebylex(keys.tasks({ agent }), start, `[${until}`, 'LIMIT', 0, PAGE);
        const found = await readTasks(taskIds);
        const tasks = firstStep(found, indexes);
        const isWhole = tasks.length === found.length;
        done = taskIds.length < PAGE && isWhole;
        const [outcome] = await retypeTasks({ agent, retyped, tasks, done });
        if (outcome === 'outdated' || signal.aborted) return;
        last = isWhole ? taskIds.at(-1) : tasks.at(-1)?.id;
      }
    },
  };
}

/**
 * The first tasks, at least one, that a script can move or remove. Each is in `indexes`, with and without each of its
 * tags and its status, and in that of its worker.
 */
function firstStep(tasks: IndexedTask[], indexes: number): IndexedTask[] {
  let writes = 0;
  const end = tasks.findIndex(({ tags }, at) => {
    writes += 2 * indexes * (tags.length + 1) + 2;
    return at > 0 && writes > MAX_WRITES;
  });
  return end < 0 ? tasks : tasks.slice(0, end);
}
