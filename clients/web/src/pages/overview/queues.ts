import type { components } from '@agent-fleet/sdk';
import type { Waiting } from '../../tasks/waiting.ts';

type Schemas = components['schemas'];
type Stats = Schemas['Stats'];
export type OldestPending = Schemas['OldestPending'];
export type WorkerInfo = Schemas['WorkerInfo'];

/** Tasks by the type that their agent had when they were created; it may have another type since. */
export interface Queue {
  type: string;
  /** How many agents have the type now. */
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

export interface QueueDetails {
  pending: number;
  /** Why the oldest task waits. */
  waiting: Waiting;
  /** The present type of its agent, if no worker takes the tasks of that. */
  unservedType: string | undefined;
}

/** The types that workers would have to ask for, to take what no worker takes. */
export function unservedTypes(queues: readonly Queue[], details: ReadonlyMap<string, QueueDetails>): string[] {
  const types = queues.flatMap(({ type, oldest }) => (oldest && details.get(type)?.unservedType) ?? []);
  return [...new Set(types)];
}
