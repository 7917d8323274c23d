import type { FleetContext } from '../redis/fleet-context.ts';
import { idsOf } from './stored-task.ts';
import type { Task } from './task.ts';

/** Finds the worker that last ran the task that another one continues; undefined when there is none. */
export type FindLastWorker = (agentId: string, continueOf: string | null) => Promise<string | undefined>;

export function createFindLastWorker({ redis, keys }: FleetContext): FindLastWorker {
  return async (agentId, continueOf) => {
    if (continueOf === null) return undefined;
    const json = await redis.get(keys.task(continueOf));
    // It may have been deleted since the other one was created, of which this is a retry.
    if (json === null || idsOf(json).agent_id !== agentId) return undefined;
    return (JSON.parse(json) as Task).worker_id ?? undefined;
  };
}
