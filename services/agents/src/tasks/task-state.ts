import type { Task } from './task.ts';

/** The hold of a worker on a running task. */
export interface Lease {
  number: number;
  /** Whoever has it is the holder: what comes without it changes nothing. */
  token: string;
  workerId: string;
  /** All times in ms. */
  startedAt: number;
  expiresAt: number;
  /** When the attempt has used up its `timeout_seconds`; no heartbeat extends past it. */
  deadline: number;
  leaseSeconds: number;
}

/** What a worker said last, so that it can be told the same when it says it again. */
interface Report {
  lease: number;
  token: string;
  digest: string;
}

/** What of a task is not served. Its JSON text changes with every change of the task: changes compare it. */
export interface TaskState {
  version: number;
  /** How many leases the task has had, released ones included. */
  leases: number;
  lease: Lease | null;
  reported: Report | null;
  /** Why a running task is to be cancelled. */
  cancelReason: string | null;
}

export interface Attempt {
  number: number;
  worker_id: string;
  started_at: string;
  ended_at: string | null;
  outcome: 'running' | 'completed' | 'failed' | 'cancelled' | 'lease_expired' | 'timeout' | 'released';
  error: Task['error'];
}

export const NEW_STATE: TaskState = { version: 0, leases: 0, lease: null, reported: null, cancelReason: null };

export function parseState(text: string): TaskState {
  return text === '' ? NEW_STATE : (JSON.parse(text) as TaskState);
}
