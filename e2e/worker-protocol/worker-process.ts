import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { until } from '@agent-fleet/shared/testing/until';
import type { Program } from './programs.ts';

export interface WorkerOptions {
  url: string;
  apiKey: string;
  agentId: string;
  leaseSeconds: number;
  stopSeconds: number;
}

const TIMEOUT_MS = 60_000;

/** A running worker program. */
export class WorkerProcess {
  readonly #process: Child;

  constructor({ command, args, env }: Program, { url, apiKey, agentId, leaseSeconds, stopSeconds }: WorkerOptions) {
    this.#process = startChild(command, args, {
      env: {
        PATH: process.env.PATH,
        ...env,
        FLEET_URL: url,
        FLEET_API_KEY: apiKey,
        FLEET_AGENT: agentId,
        LEASE_SECONDS: String(leaseSeconds),
        STOP_SECONDS: String(stopSeconds),
      },
    });
  }

  /** Whether an attempt of a task has begun. */
  began(taskId: string, attempt = 1): boolean {
    return this.#process.printed().includes(`began ${taskId} ${attempt}\n`);
  }

  untilBegan(taskId: string, attempt = 1): Promise<void> {
    return this.#untilPrinted(`began ${taskId} ${attempt}\n`);
  }

  untilAborted(taskId: string, code: string): Promise<void> {
    return this.#untilPrinted(`aborted ${taskId} ${code}\n`);
  }

  aborted(taskId: string): boolean {
    return this.#process.printed().includes(`aborted ${taskId} `);
  }

  /** Resolves with the exit code. */
  async interrupt(): Promise<number> {
    this.#process.signal('SIGINT');
    return (await this.#process.exited).code;
  }

  async kill(): Promise<void> {
    await this.#process.kill();
  }

  async #untilPrinted(text: string): Promise<void> {
    const message = () => `no "${text.trim()}" in ${this.#process.printed()}`;
    await until(() => this.#process.printed().includes(text), { message, timeoutMs: TIMEOUT_MS });
  }
}
