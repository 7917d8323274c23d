import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '@agent-fleet/scripts/local/child-process';
import type { ProcessClock } from './clock.ts';
import type { Machine } from './network.ts';

const RESTART_MS = 1_000;
/** From SIGTERM; services take 23 s at most. */
const GRACE_MS = 25_000;

/** A program with a restart policy, as in production; a restart that no fault explains is a violation. */
export class Program {
  readonly name: string;
  readonly machine: Machine;
  readonly clock: ProcessClock | undefined;
  /** Whether a fault may end it, such as a full disk. */
  mayEnd = false;
  readonly #launch: () => Child;
  readonly #onEnd: (problem: string) => void;
  #running: Child | undefined;
  #isKept = false;

  /** `onEnd` is called when it has ended by itself. */
  constructor(
    name: string,
    machine: Machine,
    launch: () => Child,
    onEnd: (problem: string) => void,
    clock?: ProcessClock,
  ) {
    this.name = name;
    this.machine = machine;
    this.clock = clock;
    this.#launch = launch;
    this.#onEnd = onEnd;
  }

  start(): void {
    const running = this.#launch();
    this.#running = running;
    this.#isKept = true;
    void running.exited.then(async ({ reason }) => {
      if (this.#running !== running || !this.#isKept) return;
      if (!this.mayEnd) this.#onEnd(`${this.name} ended by itself (${reason}): ${lastLines(running.printed())}`);
      await sleep(RESTART_MS);
      if (this.#running === running && this.#isKept) this.start();
    });
  }

  /** With -9. */
  async kill(): Promise<void> {
    this.#isKept = false;
    await this.#running?.kill();
  }

  /** With SIGTERM; resolves when it has ended. It must do so in time and with 0. */
  async stop(): Promise<void> {
    this.#isKept = false;
    const running = this.#running;
    if (!running) return;
    const late = setTimeout(() => void running.kill(), GRACE_MS);
    await running.stop();
    clearTimeout(late);
    const { code, reason } = await running.exited;
    if (code !== 0) this.#onEnd(`${this.name} was stopped and ended with ${reason}: ${lastLines(running.printed())}`);
  }

  signal(name: NodeJS.Signals): void {
    this.#running?.signal(name);
  }

  /** The end of its output. */
  lastOutput(): string {
    return lastLines(this.#running?.printed() ?? '');
  }
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-5).join(' | ').slice(-1_500);
}
