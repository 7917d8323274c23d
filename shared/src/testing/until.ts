import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for a busy machine, shorter than the product's own deadlines: none ends a wait by accident. */
const TIMEOUT_MS = 25_000;
const POLL_MS = 10;
/** Of the time waited: many tests that wait for long would keep the machine busy. */
const POLL_SHARE = 0.05;
const MAX_POLL_MS = 50;

export interface UntilOptions<Value> {
  /** What is awaited, for the error: a clause such as `the agent is online`, or a function that describes the state. */
  message?: string | (() => unknown);
  /** Default 25,000. */
  timeoutMs?: number;
  /** Pause between two checks. Default: 10, and more after 200 ms, up to 50. */
  pollMs?: number;
  /** Whether a value is the awaited one. Default: it is truthy. */
  holds?: (value: Value) => boolean;
}

/**
 * Polls `read` until its value holds, and resolves with that value. A throw counts as "not yet".
 *
 * @throws an error with the message and the last value after `timeoutMs`; its `cause` is the last error of `read`
 */
export async function until<Value>(read: () => Value, options: UntilOptions<Awaited<Value>> = {}) {
  const { timeoutMs = TIMEOUT_MS, pollMs, holds = Boolean } = options;
  const start = Date.now();
  const deadline = start + timeoutMs;
  for (;;) {
    let last: { value?: Awaited<Value>; cause?: unknown };
    try {
      const value = await read();
      if (holds(value)) return value;
      last = { value };
    } catch (cause) {
      last = { cause };
    }
    if (Date.now() > deadline) throw new Error(await describe(last.value, timeoutMs, options), { cause: last.cause });
    await sleep(pollMs ?? Math.min(Math.max(POLL_MS, (Date.now() - start) * POLL_SHARE), MAX_POLL_MS));
  }
}

async function describe<Value>(value: Value, timeoutMs: number, { message, holds }: UntilOptions<never>) {
  const text = typeof message === 'function' ? await message() : message;
  const parts = [`Not within ${timeoutMs / 1000} s`, text, holds && `the last value was ${JSON.stringify(value)}`];
  return parts.filter(Boolean).join(': ');
}
