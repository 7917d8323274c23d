import { randomBytes } from 'node:crypto';
import { HttpError } from '@agent-fleet/shared/http/errors';
import type { Fleet } from '../fleet/fleet.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import { toQueued } from '../tasks/agent-tasks.ts';
import { applyDeadlines, earliestStart, lease } from '../tasks/task-rules.ts';
import type { Lease } from '../tasks/task-state.ts';
import type { StoredTask } from '../tasks/task-transitions.ts';
import type { TaskWriter } from '../tasks/task-writer.ts';

/** Stale jobs discarded per call, before other agents get their turn. */
const MAX_STALE = 100;
/** Agents tried per call at most: other workers may have taken the work of a picked agent. */
const MAX_PICKS = 10_000;
/** Accepted clock difference between replicas: a job becomes ready by the clock of the replica that added it. */
const CLOCK_TOLERANCE_MS = 1_000;

/** The worker that requests tasks. */
export interface Holder {
  workerId: string;
  leaseSeconds: number;
}

/** A task with its new lease. */
export interface LeasedTask {
  agentId: string;
  taskId: string;
  lease: Lease;
  attempt: number;
  /** The task's record as JSON. */
  json: string;
  /** Whether the agent has more tasks that are ready. */
  more: boolean;
}

export type LeaseAcquirer = ReturnType<typeof createLeaseAcquirer>;

/** Takes tasks from the queues and leases them to workers. */
export function createLeaseAcquirer(fleet: Fleet, queue: TaskQueue, taskWriter: TaskWriter, retentionMs: number) {
  /** Takes jobs until one is of a task that may run now. The outbox keeps `entry` while a taken job may be lost. */
  async function take(
    agentId: string,
    holder: Holder,
    entry: string,
    lastWakeup?: string,
  ): Promise<LeasedTask | undefined> {
    let lastWakeupWhenIdle: string | undefined;
    for (let stale = 0; stale < MAX_STALE; stale++) {
      const taskId = await queue.take(agentId);
      if (taskId === undefined) {
        lastWakeupWhenIdle = lastWakeup;
        break;
      }
      const leased = await begin(agentId, taskId, holder, entry, lastWakeup);
      if (leased) return leased;
    }
    await fleet.complete({ agentId, entry, lastWakeupWhenIdle });
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
      const leased = await taskWriter.change(
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

  /** Deletes the job of a task that may not run now, and adds a new one when the task is still pending. */
  async function discard(agentId: string, taskId: string, found: StoredTask | undefined): Promise<void> {
    await queue.finish(agentId, taskId);
    if (found?.task.status !== 'pending') return;
    try {
      const { task } = await taskWriter.change(agentId, taskId, (stored, now) =>
        applyDeadlines(stored, retentionMs, now),
      );
      if (task.status !== 'pending') return;
      await queue.add(agentId, toQueued(task));
      await fleet.scheduleTimer(agentId, taskId, earliestStart(task));
    } catch (error) {
      if (!isDeleted(error)) throw error;
    }
  }

  return {
    /** Leases the next task of an agent. */
    async acquireFromAgent(agentId: string, holder: Holder): Promise<LeasedTask | undefined> {
      const [entry, lastWakeup] = await Promise.all([fleet.openOutboxEntry(agentId), fleet.readLastWakeup(agentId)]);
      return take(agentId, holder, entry, lastWakeup);
    },

    /** Leases the next task of any agent of these types, in round robin. */
    async acquireFromTypes(types: readonly string[], holder: Holder): Promise<LeasedTask | undefined> {
      for (let picks = 0; picks < MAX_PICKS; picks++) {
        const picked = await fleet.pickAgent(types);
        if (!picked) return undefined;
        const leased = await take(picked.agentId, holder, picked.entry, picked.lastWakeup);
        if (leased) return leased;
      }
      return undefined;
    },
  };
}

/** Whether the task or its agent has been deleted meanwhile. */
function isDeleted(error: unknown): boolean {
  return error instanceof HttpError && error.status === 404;
}

function mayRun({ task }: StoredTask, now: number): boolean {
  return (
    task.status === 'pending' && earliestStart(task) <= now + CLOCK_TOLERANCE_MS && Date.parse(task.expires_at) > now
  );
}
