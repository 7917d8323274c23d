import { UpstreamError } from '../source/errors.ts';

/**
 * Runs something with a deadline. Its signal never fires after the end: node-fetch would throw into abandoned bodies.
 * @throws UpstreamError `timeout`; the reason of `signal` when that aborts; the error of `run`
 */
export async function withDeadline<Value>(
  deadlineMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', abort);
  const timer = setTimeout(() => controller.abort(), deadlineMs);
  try {
    return await run(controller.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!controller.signal.aborted) throw error;
    throw new UpstreamError('timeout', `No complete response within ${deadlineMs / 1_000} s`, error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
