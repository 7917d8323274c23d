/** A task of the fleet. Unset fields are null; times are RFC 3339 in UTC. */
export interface Task {
  id: string;
  agent_id: string;
  message: string;
  /** Any JSON from the client that created the task. */
  input: unknown;
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
  priority: number;
  scheduled_at: string | null;
  expires_at: string;
  /** Limit of one attempt; then the fleet revokes the lease. */
  timeout_seconds: number;
  max_attempts: number;
  retry_policy: {
    strategy: 'fixed' | 'exponential';
    delay_seconds: number;
    max_delay_seconds: number;
    jitter: number;
  };
  attempt: number;
  result: unknown;
  error: { code: string; message: string; retryable: boolean } | null;
  progress: Progress | null;
  tags: string[] | null;
  metadata: Record<string, unknown> | null;
  retry_of: string | null;
  worker_id: string | null;
  cancel_requested_at: string | null;
  next_attempt_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  created_at: string;
  updated_at: string;
}

/** Progress of a task; `percent` is 0 to 100. */
export interface Progress {
  percent: number | null;
  message: string | null;
}

/** A lease of a task; `token` proves that the worker holds it. */
export interface Lease {
  id: string;
  token: string;
  task: Task;
  attempt: number;
  heartbeat_interval_seconds: number;
}

/** The outcome of an attempt. */
export type Report =
  | { status: 'completed'; result: unknown }
  | { status: 'failed'; error: { code: string; message: string; retryable: boolean } }
  | { status: 'cancelled' };
