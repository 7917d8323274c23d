import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { RuntimeSession } from '../runtimes/runtime.ts';
import type { Limits } from './limits.ts';
import type { Mediator } from './mediator.ts';
import type { Program } from './program.ts';
import type { Recorder } from './recorder.ts';

/** How long a program may run after its result. */
const AFTER_RESULT_MS = 5_000;
/** How long a program may take to defer what it has asked, and to write its session. */
const SUSPEND_MS = 5_000;
const TERMINATE_MS = 2_000;
/** How long events may still come after the exit. */
const AFTER_EXIT_MS = 1_000;

interface ConversationOptions {
  program: Program;
  session: RuntimeSession;
  recorder: Recorder;
  limits: Limits;
  mediator: Mediator;
  /** Resolves when the worker no longer waits for a person with this program. */
  hold: Promise<void>;
}

/** Follows a runtime until it has ended, by itself or by a limit, and its process has exited. Never rejects. */
export async function converse(options: ConversationOptions): Promise<void> {
  const { program, session, limits, mediator, hold } = options;
  const { signal } = limits;
  const followed = follow(options);
  // Whatever the runtime makes of its output, it has no more after the exit.
  const over = program.exited.then(() => wait(AFTER_EXIT_MS));
  const isHeld = await Promise.race([followed, over, aborted(signal), hold.then(() => true)]);
  if (isHeld && !signal.aborted) {
    mediator.suspend();
    await Promise.race([session.suspend().catch(() => {}), program.exited, wait(SUSPEND_MS), aborted(signal)]);
    await program.terminate(TERMINATE_MS);
  } else if (signal.aborted) {
    const { cancelMs, terminateMs } = limits.grace();
    if (cancelMs > 0) await cancel(session, program, cancelMs);
    await program.terminate(terminateMs);
  } else {
    await Promise.race([program.exited, wait(AFTER_RESULT_MS), aborted(signal)]);
    await program.terminate(TERMINATE_MS);
  }
  await Promise.race([followed, wait(AFTER_EXIT_MS)]);
}

async function follow({ session, recorder, limits, mediator }: ConversationOptions): Promise<void> {
  try {
    for await (const event of session.events) {
      limits.alive();
      recorder.add(event);
      mediator.add(event);
    }
  } catch (error) {
    const message = `The events of the runtime cannot be read: ${messageOf(error)}`;
    recorder.add({ type: 'failure', code: 'no_result', message, retryable: true });
  }
}

async function cancel(session: RuntimeSession, program: Program, ms: number): Promise<void> {
  try {
    session.cancel();
  } catch {
    // SIGTERM follows.
  }
  await Promise.race([program.exited, wait(ms)]);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

const wait = (ms: number) => sleep(ms, undefined, { ref: false });
