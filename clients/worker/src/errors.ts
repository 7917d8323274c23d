import { types } from 'node:util';

/** Thrown by a handler to say what went wrong; any other error is reported with the code `handler_error` and may be tried again. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  /** 1 to 128 characters, for programs. */
  readonly code: string;
  /** Whether another attempt may help, default true. */
  readonly retryable: boolean;

  constructor(message: string, { code, retryable = true, cause }: TaskErrorOptions = {}) {
    super(message, { cause });
    this.code = code || DEFAULT_CODE;
    this.retryable = retryable;
  }
}

interface TaskErrorOptions {
  code?: string;
  retryable?: boolean;
  cause?: unknown;
}

export const DEFAULT_CODE = 'handler_error';

/** Why a handler is asked to end: somebody cancelled the task, the fleet took the lease away, or this worker stops. */
export type AbortCode = 'cancelled' | 'lease_lost' | 'worker_stopped';

const ABORT_MESSAGES: Record<AbortCode, string> = {
  cancelled: 'The task was cancelled',
  lease_lost: 'The lease was lost: the task is no longer for this worker',
  worker_stopped: 'The worker stops',
};

/** The `reason` of the signal that a handler gets. */
export class TaskAbortError extends Error {
  /** As of every abort, so that code which knows aborts by their name knows this one. */
  override readonly name = 'AbortError';
  readonly code: AbortCode;

  constructor(code: AbortCode) {
    super(ABORT_MESSAGES[code]);
    this.code = code;
  }
}

/** The fleet did not answer, or asked for patience: the same request is worth sending again. */
export class FleetAwayError extends Error {
  override readonly name = 'FleetAwayError';
  /** What the fleet asked for; 0 when it did not. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The fleet's no, with its HTTP status. */
export class FleetRefusedError extends Error {
  override readonly name = 'FleetRefusedError';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Whether the fleet says that a lease is over: 409 `lease_lost`, or 404 when its task is gone. */
export function isLeaseLost(error: unknown): boolean {
  return error instanceof FleetRefusedError && (error.status === 404 || error.status === 409);
}

/** Whether it is the credentials that the fleet refuses; they may be mended while the worker runs. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof FleetRefusedError && (error.status === 401 || error.status === 403);
}

/** What to say of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (types.isNativeError(error)) return error.message || error.name;
  try {
    return String(error) || 'no message';
  } catch {
    return 'no message';
  }
}
