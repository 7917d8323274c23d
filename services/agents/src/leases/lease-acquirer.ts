import { randomBytes } from 'node:crypto';
import { HttpError } from '@agent-fleet/shared/http/errors';
import type { Fleet } from '../fleet/fleet.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import { toQueued } from '../tasks/agent-tasks.ts';
import type { StoredTask } from '../tasks/task-change.ts';
import type { TaskChanges } from '../tasks/task-changes.ts';
import { lease, passTime, startOf } from '../tasks/task-rules.ts';
import type { Lease } from '../tasks/task-state.ts';

/** Jobs out of date thrown away in one go, before others have their turn. */
const MAX_STALE = 100;
/** Agents that may be found without work in one go: others were faster. */
const MAX_TURNS = 10_000;
/** By how much the clocks of replicas may differ: a job is given out by the clock of the one that issued it. */
const CLOCK_TOLERANCE_MS = 1_000;

/** Who asks for tasks. */
export interface Holder {
  workerId: string;
  leaseSeconds: number;
}

/** A task that a worker holds now. */
export interface LeasedTask {
  agentId: string;
  taskId: string;
  lease: Lease;
  attempt: number;
  /** The record that is served. */
  json: string;
  /** Whether more tasks wait for a worker of this agent. */
  more: boolean;
}

/** Hands out tasks. */
export interface LeaseAcquirer {
  /** The next task of an agent. */
  acquireFromAgent(agentId: string, holder: Holder): Promise<LeasedTask | undefined>;
  /** The next task of the agent of these types whose turn it is. */
  acquireFromTypes(types: readonly string[], holder: Holder): Promise<LeasedTask | undefined>;
}

export function createLeaseAcquirer(
  fleet: Fleet,
  queue: TaskQueue,
  changes: TaskChanges,
  retentionMs: number,
): LeaseAcquirer {
  /** Takes jobs until one is of a task that may run now; the outbox has `entry` as long as a taken job may be lost. */
  async function take(
    agentId: string,
    holder: Holder,
    entry: string,
    lastWakeup?: string,
  ): Promise<LeasedTask | undefined> {
    let idleAt: string | undefined;
    for (let stale = 0; stale < MAX_STALE; stale++) {
      const taskId = await queue.take(agentId);
      if (taskId === undefined) {
        idleAt = lastWakeup;
        break;
      }
      const leased = await begin(agentId, taskId, holder, entry, lastWakeup);
      if (leased) return leased;
    }
    await fleet.settle({ agentId, entry, idleAt });
    return undefined;
  }

  async function begin(
    agentId: string,
    taskId: string,
    holder: Holder,
    entry: string,
    lastWakeup?: string,
  ): Promise<LeasedTask | undefined> {
    const token = randomBytes(24).toString('base64url');
    let found: StoredTask | undefined;
    try {
      const leased = await changes.change(
        agentId,
        taskId,
        (stored, now) => {
          found = stored;
          return mayRun(stored, now) ? lease(stored, { ...holder, token }, now) : undefined;
        },
        { entry, lastWakeup },
      );
      if (leased.changed) {
        const { task, state, json, waiting } = leased;
        return { agentId, taskId, lease: state.lease as Lease, attempt: task.attempt, json, more: waiting > 0 };
      }
    } catch (error) {
      if (!isDeleted(error)) throw error;
      found = undefined;
    }
    await discard(agentId, taskId, found);
    return undefined;
  }

  /** What is done with the job of a task that may not run now. */
  async function discard(agentId: string, taskId: string, found: StoredTask | undefined): Promise<void> {
    await queue.finish(agentId, taskId);
    if (found?.task.status !== 'pending') return;
    try {
      const { task } = await changes.change(agentId, taskId, (stored, now) => passTime(stored, retentionMs, now));
      if (task.status !== 'pending') return;
      await queue.add(agentId, toQueued(task));
      await fleet.remind(agentId, taskId, startOf(task));
    } catch (error) {
      if (!isDeleted(error)) throw error;
    }
  }

  return {
    async acquireFromAgent(agentId, holder) {
      const [entry, lastWakeup] = await Promise.all([fleet.open(agentId), fleet.readLastWakeup(agentId)]);
      return take(agentId, holder, entry, lastWakeup);
    },

    async acquireFromTypes(types, holder) {
      for (let turns = 0; turns < MAX_TURNS; turns++) {
        const turn = await fleet.takeTurn(types);
        if (!turn) return undefined;
        const leased = await take(turn.agentId, holder, turn.entry, turn.lastWakeup);
        if (leased) return leased;
      }
      return undefined;
    },
  };
}

/** Whether the task or its agent was deleted meanwhile. */
function isDeleted(error: unknown): boolean {
  return error instanceof HttpError && error.status === 404;
}

function mayRun({ task }: StoredTask, now: number): boolean {
  return task.status === 'pending' && startOf(task) <= now + CLOCK_TOLERANCE_MS && Date.parse(task.expires_at) > now;
}
