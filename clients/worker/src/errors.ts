import { inspect, types } from 'node:util';
import { FleetError, FleetUnavailableError } from '@agent-fleet/sdk';
import type { Session } from './task.ts';

/** Thrown by a handler to set the reported error. Any other error is reported as `handler_error` and may be retried. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  /** 1 to 128 characters, for programs. */
  readonly code: string;
  /** Whether another attempt may help, default true. */
  readonly retryable: boolean;
  /** With the code `rate_limited`: when to go on, in ms since 1970. The attempt does not count. */
  readonly retryAt: number | undefined;
  /** What the next attempt goes on with then. */
  readonly session: Session | undefined;

  constructor(message: string, { code, retryable = true, retryAt, session, cause }: TaskErrorOptions = {}) {
    super(message, { cause });
    this.code = code || DEFAULT_CODE;
    this.retryable = retryable;
    this.retryAt = retryAt;
    this.session = session;
  }
}

interface TaskErrorOptions {
  code?: string;
  retryable?: boolean;
  retryAt?: number | undefined;
  session?: Session | undefined;
  cause?: unknown;
}

/** @param until when the provider takes calls again, in ms since 1970 */
export function limitedError(until: number, said = ''): TaskError {
  const message = `The provider takes no calls until ${new Date(until).toISOString()}${said}`;
  return new TaskError(message, { code: 'rate_limited', retryAt: until });
}

export const DEFAULT_CODE = 'handler_error';

/** Why a handler is aborted. */
export type AbortCode = 'cancelled' | 'lease_lost' | 'suspended' | 'worker_stopped';

const ABORT_MESSAGES: Record<AbortCode, string> = {
  cancelled: 'The task was cancelled',
  lease_lost: 'The lease of the task was lost',
  suspended: 'The task waits for a person',
  worker_stopped: 'The worker is stopping',
};

/** The `reason` of a handler's signal. */
export class TaskAbortError extends Error {
  /** The standard name, so that code which checks for it recognizes this abort. */
  override readonly name = 'AbortError';
  readonly code: AbortCode;

  constructor(code: AbortCode) {
    super(ABORT_MESSAGES[code]);
    this.code = code;
  }
}

/** Whether the fleet gave no usable response: the request should be repeated. An idle connection may end with 408. */
export function isUnavailable(error: unknown): error is FleetError {
  if (error instanceof FleetUnavailableError) return true;
  return error instanceof FleetError && (error.status === 408 || error.status === 429 || error.status >= 500);
}

/** Whether the fleet refused the request itself. */
export function isRefused(error: unknown): error is FleetError {
  return error instanceof FleetError && !isUnavailable(error);
}

/** Whether the fleet reports the end of a lease: 409 `lease_lost`, or 404 when its task was deleted. */
export function isLeaseLost(error: unknown): boolean {
  return error instanceof FleetError && (error.status === 404 || error.status === 409);
}

/** Whether the fleet refused the credentials, which may be replaced while the worker runs. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof FleetError && (error.status === 401 || error.status === 403);
}

/** The message of any thrown value; of an object that has no text, its fields. */
export function messageOf(error: unknown): string {
  if (types.isNativeError(error)) return error.message || error.name;
  try {
    const isObject = typeof error === 'object' && error !== null;
    const hasText = !isObject || (error.toString ?? Object.prototype.toString) !== Object.prototype.toString;
    return (hasText ? String(error) : inspect(error, { breakLength: Number.POSITIVE_INFINITY })) || 'no message';
  } catch {
    return 'no message';
  }
}

/** The message after the class, as `RangeError: too far`. */
export function describeThrown(thrown: unknown): string {
  const text = messageOf(thrown);
  if (typeof thrown !== 'object' || thrown === null) return text;
  const isNamed = types.isNativeError(thrown) && thrown.name !== 'Error';
  const name = isNamed ? thrown.name : (thrown.constructor?.name ?? '');
  return text.startsWith(name) ? text : `${name}: ${text}`;
}
