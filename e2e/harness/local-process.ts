import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type KeptProcess, startKept } from '@agent-fleet/scripts/local/child-process';
import { portProblem } from '@agent-fleet/scripts/local/ports';
import { until } from '@agent-fleet/shared/testing/until';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const READY_TIMEOUT_MS = 90_000;
const GONE_TIMEOUT_MS = 30_000;
const GRACE_SECONDS = 5;

/** The keeper's pid is not the command's: the command's own shell writes it down and becomes the command. */
const NOTE_PID = 'echo $$ > "$0" && exec "$@"';

/** One real process of the fleet, that can be killed, paused and started again on its port. */
export class LocalProcess {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly url: string;
  readonly #args: string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #dir = mkdtempSync(join(tmpdir(), 'fleet-e2e-'));
  #running: KeptProcess | undefined;

  /** `main` is relative to the repository; `env` is its whole environment but for PATH and PORT, and HOST where that is 127.0.0.1. */
  constructor(name: string, main: string, port: number, env: NodeJS.ProcessEnv, nodeArgs: string[] = []) {
    this.name = name;
    this.host = env.HOST ?? '127.0.0.1';
    this.port = port;
    this.url = `http://${this.host}:${port}`;
    this.#args = [process.execPath, ...nodeArgs, join(ROOT, main)];
    this.#env = { PATH: process.env.PATH, ...env, HOST: this.host, PORT: String(port) };
  }

  /** Resolves when it says that it lives; what it needs may still be away. */
  async start(): Promise<void> {
    const logFile = join(this.#dir, 'log');
    const args = ['-c', NOTE_PID, this.#pidFile, ...this.#args];
    const running = startKept('/bin/sh', args, { cwd: ROOT, env: this.#env, logFile, graceSeconds: GRACE_SECONDS });
    this.#running = running;
    const ended = running.exited.then(({ reason }) => {
      throw new Error(`${this.name} ended (${reason}): ${running.printed()}`);
    });
    const answers = until(() => this.lives(), { message: `${this.name} answers`, timeoutMs: READY_TIMEOUT_MS });
    // Whichever comes second has nobody who waits for it.
    for (const outcome of [ended, answers]) outcome.catch(() => undefined);
    await Promise.race([ended, answers]);
  }

  /** Whether it says that it lives. */
  async lives(): Promise<boolean> {
    const answer = await fetch(`${this.url}/health`).catch(() => undefined);
    return answer?.ok ?? false;
  }

  /** SIGKILL; resolves when its port is free. */
  async kill(): Promise<void> {
    await this.#running?.kill();
    const isFree = async () => (await portProblem(this.port, this.host)) === undefined;
    await until(isFree, { message: `the port of ${this.name} is free`, timeoutMs: GONE_TIMEOUT_MS });
  }

  /** SIGTERM; resolves with how it ended, in its own time. */
  async stop(): Promise<string> {
    this.signal('SIGTERM');
    return (await this.#running?.exited)?.reason ?? 'not running';
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.pid, name);
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
    rmSync(this.#dir, { recursive: true, force: true });
  }

  get pid(): number {
    return Number(readFileSync(this.#pidFile, 'utf8'));
  }

  get #pidFile(): string {
    return join(this.#dir, 'pid');
  }
}
