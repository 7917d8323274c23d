import { hash } from 'node:crypto';
import type { components, Lease, Task } from '@agent-fleet/sdk';

/** The outcome of an attempt. */
export type Report = Outcome & Partial<Used>;

type Outcome =
  | { status: 'completed'; result: unknown }
  | { status: 'failed'; error: ReportedError; session?: Session }
  | { status: 'cancelled' };

interface ReportedError {
  code: string;
  message: string;
  retryable: boolean;
  /** When to go on, if the provider takes no calls until then. */
  retry_at?: string;
}

/** Tokens: `cached_input_tokens` are part of `input_tokens`, and `reasoning_tokens` of `output_tokens`. */
export interface Usage {
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
}

/** `estimated`: computed from tokens and a price list, not reported by the provider. */
interface Cost {
  amount: number;
  currency: 'USD';
  estimated: boolean;
}

/** What an attempt has used so far; null where it is not known. */
export interface Used {
  usage: Usage | null;
  cost: Cost | null;
  model: string | null;
}

/** Progress of a task; `percent` is 0 to 100. */
type Progress = components['schemas']['Progress'];

/** What goes with a heartbeat, when there is news. */
export type HeartbeatContent = { progress?: Progress } & Partial<Used>;

/** One field of it. */
export type HeartbeatField = [name: keyof HeartbeatContent, value: unknown];

/** The fields that are known. */
export function fieldsOf(used: Partial<Used>): HeartbeatField[] {
  const names = ['usage', 'cost', 'model'] as const;
  return names.filter((name) => used[name] != null).map((name) => [name, used[name]]);
}

/** A task that another one comes after. */
export type Dependency = components['schemas']['LeaseDependency'];

/** An entry of a task's log, as it is sent. */
export type LogEntry = components['schemas']['LogEntryInput'];

/** A session of a runtime, as a suspension keeps it; without `data` only this worker can go on with it. */
export interface Session {
  runtime: string;
  id: string;
  /** Base64, at most 1 MiB decoded. */
  data?: string;
}

/** W3C Trace Context; ids of zeros are invalid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The `traceparent` of the request that created a task; undefined without one. */
export function traceparentOf({ traceparent }: Partial<Pick<Task, 'traceparent'>>): string | undefined {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}

/** The header of all requests about a lease: the trace of its task, with a span id of the attempt. */
export function traceHeadersOf({ id, task }: Lease): { traceparent?: string } {
  const traceparent = traceparentOf(task);
  if (traceparent === undefined) return {};
  return { traceparent: `${traceparent.slice(0, 36)}${hash('sha256', id).slice(0, 16)}${traceparent.slice(52)}` };
}
