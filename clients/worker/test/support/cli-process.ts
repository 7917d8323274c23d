import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
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
  readonly #child: Child;

  constructor(args: string[], { env = {}, nodeOptions = [], inShell = false }: CliProcessOptions = {}) {
    const { FLEET_API_KEY, FLEET_URL, ...outer } = process.env;
    const command = [process.execPath, ...nodeOptions, LAUNCHER, ...args];
    const [file = '', ...rest] = inShell ? ['sh', '-c', '"$@" & wait', 'sh', ...command] : command;
    // What a killed one leaves behind has to end by itself.
    this.#child = startChild(file, rest, { env: { ...outer, ...env }, endsWithParent: false });
  }

  get stdout(): string {
    return this.#child.written.stdout;
  }

  get stderr(): string {
    return this.#child.written.stderr;
  }

  get pid(): number {
    return this.#child.pid;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.signal(name);
  }

  /** Resolves with the exit code once nothing writes to its output any more. */
  async ended(): Promise<number> {
    return (await this.#child.closed).code;
  }

  async untilPrinted(text: string, times = 1): Promise<void> {
    await until(() => this.stderr.split(text).length > times, { message: () => `no "${text}" in ${this.stderr}` });
  }
}
