import type { components } from '@agent-fleet/sdk';

type Schemas = components['schemas'];
type Stats = Schemas['Stats'];
export type OldestPending = Schemas['OldestPending'];
export type WorkerInfo = Schemas['WorkerInfo'];

/** The tasks of the agents of a type. */
export interface Queue {
  type: string;
  agents: number;
  tasks: number;
  oldest: OldestPending | undefined;
  /** How many workers ask for tasks of the type; undefined while it is not known. */
  workers: number | undefined;
}

export function toQueues(stats: Stats, workers: readonly WorkerInfo[] | undefined): Queue[] {
  return Object.keys(stats.agents.by_type).map((type) => ({
    type,
    agents: stats.agents.by_type[type] ?? 0,
    tasks: stats.tasks.by_type[type] ?? 0,
    oldest: stats.oldest_pending.find((one) => one.type === type),
    workers: workers?.filter(({ polling, types }) => polling && types.includes(type)).length,
  }));
}

/** Whether tasks wait and no worker asks for those of the type, nor of the agent that waits longest. */
export function isUnserved({ oldest, workers: ofType }: Queue, workers: readonly WorkerInfo[] = []): boolean {
  if (!oldest || ofType !== 0) return false;
  return !workers.some(({ polling, agent_ids }) => polling && agent_ids.includes(oldest.agent_id));
}
