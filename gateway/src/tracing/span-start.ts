import { createSpanId } from '@agent-fleet/shared/trace-context';

/** The start of a request's span; its own id is in `traceparent`. */
export interface SpanStart {
  /** The client's span; undefined for the first span of a trace. */
  parentId: string | undefined;
  tracestate: string | undefined;
  host: string | undefined;
  /** By `performance.now()`, as the times of attempts are. */
  startedAtMs: number;
  attempts: Attempt[];
}

/** A request that was sent to a replica of a service: a CLIENT span. */
export interface Attempt {
  /** Of its span. */
  id: string;
  replica: string;
  /** How many attempts were before it. */
  resends: number;
  startedAtMs: number;
  /** Undefined while it goes on. */
  endedAtMs?: number;
  /** 0 without a response. */
  status: number;
  /** How it failed. */
  error?: string;
}

/** Adds an attempt to the span of a request. */
export function beginAttempt({ attempts }: SpanStart, replica: string): Attempt {
  const attempt = { id: createSpanId(), replica, resends: attempts.length, startedAtMs: performance.now(), status: 0 };
  attempts.push(attempt);
  return attempt;
}

/** Completes an attempt. */
export function endAttempt(attempt: Attempt, outcome: Pick<Attempt, 'status' | 'error'>): void {
  Object.assign(attempt, outcome, { endedAtMs: performance.now() });
}
