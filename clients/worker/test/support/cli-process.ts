import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '@agent-fleet/shared/testing/until';

const LAUNCHER = fileURLToPath(new URL('../../bin/fleet-worker.mjs', import.meta.url));

export interface CliProcessOptions {
  env?: NodeJS.ProcessEnv;
  nodeOptions?: string[];
  /** Under a shell that waits for it and passes no signal on, as npx starts it. */
  inShell?: boolean;
}

/** `fleet-worker` as a process. */
export class CliProcess {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;

  constructor(args: string[], { env = {}, nodeOptions = [], inShell = false }: CliProcessOptions = {}) {
    const { FLEET_API_KEY, FLEET_URL, ...outer } = process.env;
    const command = [process.execPath, ...nodeOptions, LAUNCHER, ...args];
    const [file = '', ...rest] = inShell ? ['sh', '-c', '"$@" & wait', 'sh', ...command] : command;
    this.#child = spawn(file, rest, { env: { ...outer, ...env } });
    this.#child.stdout?.on('data', (chunk) => (this.stdout += chunk));
    this.#child.stderr?.on('data', (chunk) => (this.stderr += chunk));
    this.#exit = once(this.#child, 'close');
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Its exit code, once nobody holds its output any more. */
  async ended(): Promise<unknown> {
    const [code, signal] = await this.#exit;
    return code ?? signal;
  }

  async untilPrinted(text: string, times = 1): Promise<void> {
    await until(() => this.stderr.split(text).length > times, { message: () => `no "${text}" in ${this.stderr}` });
  }
}
