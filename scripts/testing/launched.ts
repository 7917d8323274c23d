import { join } from 'node:path';
import { type ProcessInfo, processTree } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { type Child, startChild } from '../local/child-process.ts';
import { ROOT } from '../services.ts';

const PRINT_TIMEOUT_MS = 90_000;

/** `npm start` without npm: the launcher as a process of its own. */
export class Launched {
  readonly port: number;
  readonly url: string;
  readonly #child: Child;

  /**
   * `env` comes on top of an environment without the variables that the launcher reads; `root` is the clone to start.
   */
  constructor(dataDir: string, port: number, env: NodeJS.ProcessEnv = {}, root = ROOT) {
    this.port = port;
    this.url = `http://localhost:${port}`;
    const {
      REDIS_URL,
      ADMIN_EMAIL,
      ADMIN_PASSWORD,
      API_KEYS,
      JWT_SECRET,
      INTERNAL_TOKEN,
      SESSION_ENCRYPTION_KEY,
      HOST,
      ...inherited
    } = process.env;
    this.#child = startChild(process.execPath, [join(root, 'scripts/run.mjs'), 'start'], {
      env: { ...inherited, npm_lifecycle_event: undefined, DATA_DIR: dataDir, PORT: String(port), ...env },
      endsWithParent: false,
    });
  }

  get printed(): string {
    return this.#child.printed();
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The process of the fleet whose command has `part` in it. */
  find(part: string): ProcessInfo {
    const found = processTree(this.pid).find(({ command }) => command.includes(part));
    if (found === undefined) throw new Error(`No process of ${part}`);
    return found;
  }

  /** Waits until `text` is printed. */
  async untilPrinted(text: string, timeoutMs = PRINT_TIMEOUT_MS): Promise<void> {
    const { printed } = this.#child;
    const isOver = () => printed().includes(text) || !this.#child.isRunning();
    await until(isOver, { message: () => `"${text}" in ${printed()}`, timeoutMs });
    if (!printed().includes(text)) throw new Error(`"${text}" was not printed, but: ${printed()}`);
  }

  /** Resolves with the exit code once its output is complete. */
  async ended(): Promise<number> {
    return (await this.#child.closed).code;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.signal(name);
  }
}
