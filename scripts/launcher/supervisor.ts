import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../local/child-process.ts';

const MAX_RESTARTS = 5;
const WINDOW_MS = 60_000;
const FIRST_DELAY_MS = 100;

export type Running = Pick<Child, 'exited' | 'stop' | 'kill'>;

export interface Supervision {
  /** Restarts the process. */
  restart(): Running | Promise<Running>;
  /** Gets a line about each restart. */
  say(line: string): void;
  /** Whether it may be restarted; a process that ends before that has a wrong setup. */
  mayRestart(): boolean;
  /** Called once when it has ended and will not be restarted. */
  giveUp(message: string): void;
}

/** Keeps a process running: restarts it after a crash, at most five times in a minute. */
export class Supervisor {
  readonly #name: string;
  readonly #supervision: Supervision;
  readonly #watching: Promise<void>;
  #running: Running;
  #stopping = false;
  #restarts: number[] = [];

  constructor(name: string, running: Running, supervision: Supervision) {
    this.#name = name;
    this.#supervision = supervision;
    this.#running = running;
    this.#watching = this.#watch();
  }

  /** Stops it gracefully; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running.stop();
    await this.#watching;
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    this.#stopping = true;
    await this.#running.kill();
  }

  async #watch(): Promise<void> {
    for (;;) {
      const { reason } = await this.#running.exited;
      if (this.#stopping) return;
      const delayMs = this.#nextDelayMs();
      if (delayMs === undefined) return this.#supervision.giveUp(`${this.#name} ended (${reason})`);
      this.#supervision.say(`${this.#name} ended (${reason}); restarting it`);
      await sleep(delayMs);
      if (this.#stopping) return;
      try {
        this.#running = await this.#supervision.restart();
      } catch (error) {
        return this.#supervision.giveUp((error as Error).message);
      }
      if (this.#stopping) await this.#running.stop();
    }
  }

  /** 100 ms, then twice as long each time; undefined when it may not be started again. */
  #nextDelayMs(): number | undefined {
    if (!this.#supervision.mayRestart()) return undefined;
    const now = Date.now();
    this.#restarts = [...this.#restarts.filter((at) => now - at < WINDOW_MS), now];
    return this.#restarts.length > MAX_RESTARTS ? undefined : FIRST_DELAY_MS * 2 ** (this.#restarts.length - 1);
  }
}
