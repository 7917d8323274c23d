import { hash } from 'node:crypto';
import type { Lease, Task } from '@agent-fleet/sdk';

/** W3C Trace Context; ids of zeros are invalid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The `traceparent` of the request that created a task; undefined without one, as of an earlier fleet. */
export function traceparentOf({ traceparent }: Partial<Pick<Task, 'traceparent'>>): string | undefined {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}

/** The header of all requests about a lease: the trace of its task, with a span id of the attempt. */
export function traceHeadersOf({ id, task }: Lease): { traceparent?: string } {
  const traceparent = traceparentOf(task);
  if (traceparent === undefined) return {};
  return { traceparent: `${traceparent.slice(0, 36)}${hash('sha256', id).slice(0, 16)}${traceparent.slice(52)}` };
}
