import { backoffMs, sleep } from './backoff.ts';
import { FleetError, FleetUnavailableError } from './errors.ts';
import type { Call, Task } from './requests.ts';
import { isTemporary } from './send.ts';

export interface TaskKey {
  agentId: string;
  taskId: string;
}

export interface WaitOptions {
  signal?: AbortSignal;
  /** `input`: also until the task needs input. Default: `end`. */
  until?: 'end' | 'input';
  /** Default: 24 hours. */
  timeoutMs?: number;
}

/** How long the fleet holds a request. */
const POLL_SECONDS = 30;
const POLL_MARGIN_MS = 10_000;
/** A fleet that does not hold the request is not asked in a loop. */
const MIN_POLL_MS = 500;
const DEFAULT_TIMEOUT_MS = 24 * 60 * 60 * 1000;
const ENDED = new Set<Task['status']>(['completed', 'failed', 'cancelled']);

/**
 * Polls until the task has ended, or needs input if that is wanted, through outages.
 * @throws FleetError, code `wait_timeout` when the time is over
 */
export async function waitForTask(
  get: Call<'get'>,
  { agentId, taskId }: TaskKey,
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS, until }: WaitOptions = {},
): Promise<Task> {
  const deadline = performance.now() + timeoutMs;
  const path = { agent_id: agentId, task_id: taskId };
  let failures = 0;
  let lastError: unknown;
  for (;;) {
    const leftMs = deadline - performance.now();
    const beganAt = performance.now();
    let delayMs: number;
    try {
      const wait = Math.max(0, Math.min(POLL_SECONDS, Math.ceil(leftMs / 1000)));
      const limits = { signal, retries: 0, timeoutMs: Math.max(Math.min(leftMs, wait * 1000) + POLL_MARGIN_MS, 1) };
      const { data } = await get('/agents/{agent_id}/tasks/{task_id}', {
        params: { path, query: { wait, until } },
        ...limits,
      });
      if (ENDED.has(data.status) || (until === 'input' && data.status === 'input_required')) return data;
      failures = 0;
      delayMs = Math.max(0, beganAt + MIN_POLL_MS - performance.now());
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTemporary(error)) throw error;
      lastError = error;
      failures += 1;
      delayMs = backoffMs(failures, (error as FleetError).retryAfterSeconds);
    }
    if (performance.now() + delayMs >= deadline) throw timeoutError(timeoutMs, failures, lastError);
    await sleep(delayMs, signal);
  }
}

function timeoutError(timeoutMs: number, failures: number, cause: unknown): FleetError {
  const message = `the task has not ended within ${timeoutMs / 1000} s`;
  if (failures > 0) return new FleetUnavailableError(`${message}, and the fleet is unavailable`, { cause });
  return new FleetError(message, { code: 'wait_timeout' });
}
