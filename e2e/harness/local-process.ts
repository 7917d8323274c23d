import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '@agent-fleet/scripts/launcher/services';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { portProblem } from '@agent-fleet/scripts/local/ports';
import { until } from '@agent-fleet/shared/testing/until';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const READY_TIMEOUT_MS = 90_000;
const GONE_TIMEOUT_MS = 30_000;
const GRACE_SECONDS = 5;

/** One real process of the fleet, that can be killed, paused and started again on its port. */
export class LocalProcess {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly url: string;
  readonly #args: string[];
  readonly #env: NodeJS.ProcessEnv;
  #running: Child | undefined;

  /** `main` is relative to the repository; `env` is its whole environment but for PATH and PORT, and HOST where that is 127.0.0.1. */
  constructor(name: string, main: string, port: number, env: NodeJS.ProcessEnv, nodeArgs: string[] = []) {
    this.name = name;
    this.host = env.HOST ?? '127.0.0.1';
    this.port = port;
    this.url = `http://${this.host}:${port}`;
    this.#args = [...NODE_FLAGS, ...nodeArgs, join(ROOT, main)];
    this.#env = { PATH: process.env.PATH, ...NODE_ENVIRONMENT, ...env, HOST: this.host, PORT: String(port) };
  }

  /** Resolves when its liveness check passes; what it depends on may still be unavailable. */
  async start(): Promise<void> {
    const options = { cwd: ROOT, env: this.#env, graceSeconds: GRACE_SECONDS };
    const running = startChild(process.execPath, this.#args, options);
    this.#running = running;
    const ended = running.exited.then(({ reason }) => {
      throw new Error(`${this.name} ended (${reason}): ${running.printed()}`);
    });
    const answers = until(() => this.isAlive(), { message: `${this.name} answers`, timeoutMs: READY_TIMEOUT_MS });
    // Nobody awaits the one that comes second.
    for (const outcome of [ended, answers]) outcome.catch(() => undefined);
    await Promise.race([ended, answers]);
  }

  /** Whether its liveness check passes. */
  async isAlive(): Promise<boolean> {
    const answer = await fetch(`${this.url}/health`).catch(() => undefined);
    return answer?.ok ?? false;
  }

  /** SIGKILL; resolves when its port is free. */
  async kill(): Promise<void> {
    await this.#running?.kill();
    const isFree = async () => (await portProblem(this.port, this.host)) === undefined;
    await until(isFree, { message: `the port of ${this.name} is free`, timeoutMs: GONE_TIMEOUT_MS });
  }

  /** SIGTERM without a deadline; resolves with how it ended. */
  async stop(): Promise<string> {
    this.signal('SIGTERM');
    return (await this.#running?.exited)?.reason ?? 'not running';
  }

  signal(name: NodeJS.Signals): void {
    this.#running?.signal(name);
  }

  /** Runs `body` while the process is stopped by SIGSTOP: its connections stay open and nothing answers. */
  async whilePaused<T>(body: () => Promise<T>): Promise<T> {
    this.signal('SIGSTOP');
    try {
      return await body();
    } finally {
      this.signal('SIGCONT');
    }
  }

  /** What it has printed since it was started last. */
  printed(): string {
    return this.#running?.printed() ?? '';
  }

  async close(): Promise<void> {
    await this.#running?.stop();
  }

  get pid(): number {
    return this.#running?.pid ?? Number.NaN;
  }
}
