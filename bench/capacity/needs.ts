import type { Cost, Costs, Operation } from './costs.ts';

/** What a fleet does: operations per second, and what it keeps. */
export interface Load {
  perSecond: Record<Exclude<Operation, 'delivery'>, number>;
  /** Open streams of all events. */
  streams: number;
  agents: number;
  pendingTasks: number;
  endedTasks: number;
}

/** 100 agents that each get a task every ten seconds, which takes a minute. */
export const ONE: Load = {
  // A heartbeat every 20 s.
  perSecond: { create: 10, lease: 10, heartbeat: 30, result: 10, read: 50, page: 10 },
  streams: 10,
  agents: 100,
  pendingTasks: 1_000,
  // Two days; an agent keeps at most 10,000, and none longer than a week.
  endedTasks: 1_000_000,
};

export interface Needs {
  /** Busy cores. */
  gateway: number;
  agents: number;
  redis: number;
  memoryBytes: number;
  /** Bytes per second of the append-only file. */
  fileBytes: number;
}

/** An event each of a task that is created, leased and completed, and those that come with it of its agent. */
const EVENTS_PER_TASK = 5;

/** What `factor` times a load needs, with as many streams: who needs them at a high load asks for those of an agent. */
export function needsOf({ operations, memory }: Costs, load: Load, factor: number): Needs {
  const deliveries = load.streams * load.perSecond.create * EVENTS_PER_TASK;
  const counts = Object.entries({ ...load.perSecond, delivery: deliveries }) as [Operation, number][];
  const sum = (part: keyof Cost) =>
    factor * counts.reduce((all, [name, count]) => all + count * operations[name][part], 0);
  const { agents, pendingTasks, endedTasks } = load;
  const bytes = agents * memory.agent + pendingTasks * memory.pendingTask + endedTasks * memory.endedTask;
  return {
    gateway: sum('gateway') / 1e6,
    agents: sum('agents') / 1e6,
    redis: sum('redis') / 1e6,
    memoryBytes: factor * bytes,
    fileBytes: sum('fileBytes'),
  };
}
