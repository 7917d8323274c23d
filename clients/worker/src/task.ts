import type { components } from '@agent-fleet/sdk';

/** The outcome of an attempt. */
export type Report =
  | { status: 'completed'; result: unknown }
  | { status: 'failed'; error: { code: string; message: string; retryable: boolean } }
  | { status: 'cancelled' };

/** Progress of a task; `percent` is 0 to 100. */
export type Progress = components['schemas']['Progress'];

/** An entry of a task's log, as it is sent. */
export type LogEntry = components['schemas']['LogEntryInput'];
