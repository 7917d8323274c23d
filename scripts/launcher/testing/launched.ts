import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessInfo, processTree } from '@agent-fleet/shared/testing/processes';
import { ROOT } from '../settings.ts';

const PRINT_TIMEOUT_MS = 90_000;

/** `npm start` without npm: the launcher as a process of its own. */
export class Launched {
  readonly port: number;
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;
  #printed = '';

  /** `env` comes on top of an environment without the variables that the launcher reads. */
  constructor(dataDir: string, port: number, env: NodeJS.ProcessEnv = {}) {
    this.port = port;
    this.url = `http://localhost:${port}`;
    const { REDIS_URL, ADMIN_EMAIL, ADMIN_PASSWORD, API_KEYS, JWT_SECRET, INTERNAL_TOKEN, HOST, ...inherited } =
      process.env;
    this.#child = spawn(process.execPath, [join(ROOT, 'scripts/run.mjs'), 'start'], {
      env: { ...inherited, npm_lifecycle_event: undefined, DATA_DIR: dataDir, PORT: String(port), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exit = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#printed += text;
      });
    }
  }

  get printed(): string {
    return this.#printed;
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  /** The process among its own whose command has `part` in it, keepers aside. */
  find(part: string): ProcessInfo {
    const found = processTree(this.pid).find(({ command }) => command.includes(part) && !command.includes('keep.sh'));
    if (found === undefined) throw new Error(`No process of ${part}`);
    return found;
  }

  /** Waits until `text` is printed. */
  async untilPrinted(text: string): Promise<void> {
    const deadline = Date.now() + PRINT_TIMEOUT_MS;
    while (!this.#printed.includes(text)) {
      if (this.#child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`"${text}" was not printed, but: ${this.#printed}`);
      }
      await sleep(20);
    }
  }

  /** Resolves with the exit code, or the name of the signal that ended it. */
  async ended(): Promise<number | string> {
    const [code, signal] = (await this.#exit) as [number | null, string | null];
    return code ?? signal ?? 'unknown';
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }
}
