import type { Child } from '@agent-fleet/scripts/local/child-process';
import { portProblem } from '@agent-fleet/scripts/local/ports';
import { type ServiceName, type ServiceOptions, startService } from '@agent-fleet/scripts/services';
import { until } from '@agent-fleet/shared/testing/until';

const READY_TIMEOUT_MS = 90_000;
const GONE_TIMEOUT_MS = 30_000;
const GRACE_SECONDS = 5;

interface LocalProcessOptions {
  /** Gets all that it prints, over all its starts. */
  logFile: string;
  /** Arguments of Node before the service's file. */
  nodeArgs?: readonly string[];
}

/** A service as a process that can be killed, paused and started again on its port. */
export class LocalProcess {
  readonly port: number;
  readonly url: string;
  readonly #host: string;
  readonly #name: ServiceName;
  readonly #options: ServiceOptions;
  #running: Child | undefined;

  /** `env` is the whole environment except PATH and PORT; HOST is 127.0.0.1 by default. */
  constructor(name: ServiceName, port: number, env: NodeJS.ProcessEnv, { logFile, nodeArgs }: LocalProcessOptions) {
    this.#name = name;
    this.#host = env.HOST ?? '127.0.0.1';
    this.port = port;
    this.url = `http://${this.#host}:${port}`;
    const own = { PATH: process.env.PATH, ...env, HOST: this.#host, PORT: String(port) };
    this.#options = { env: own, nodeArgs, output: { logFile }, graceSeconds: GRACE_SECONDS };
  }

  /** Resolves when its liveness check passes; its dependencies may still be unavailable. */
  async start(): Promise<void> {
    const running = startService(this.#name, this.#options);
    this.#running = running;
    const ended = running.exited.then(({ reason }) => {
      throw new Error(`${this.#name} at ${this.#host} ended (${reason}): ${running.printed()}`);
    });
    const responses = until(async () => (await fetch(`${this.url}/health`)).ok, {
      message: `${this.#name} at ${this.#host} responds`,
      timeoutMs: READY_TIMEOUT_MS,
    });
    // The race handles only the first; a later rejection must not be unhandled.
    for (const outcome of [ended, responses]) outcome.catch(() => undefined);
    await Promise.race([ended, responses]);
  }

  /** Kills the process with SIGKILL; resolves when its port is free. */
  async kill(): Promise<void> {
    await this.#running?.kill();
    const isFree = async () => (await portProblem(this.port, this.#host)) === undefined;
    await until(isFree, { message: `the port of ${this.#name} is free`, timeoutMs: GONE_TIMEOUT_MS });
  }

  /** Runs `body` while the process is paused by SIGSTOP: its connections stay open, and it does not respond. */
  async whilePaused<T>(body: () => Promise<T>): Promise<T> {
    this.#running?.signal('SIGSTOP');
    try {
      return await body();
    } finally {
      this.#running?.signal('SIGCONT');
    }
  }

  async close(): Promise<void> {
    await this.#running?.stop();
  }
}
