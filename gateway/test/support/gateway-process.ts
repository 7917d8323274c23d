import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { own } from '@agent-fleet/scripts/testing/own';
import { until } from '@agent-fleet/shared/testing/until';
import { allServices, type LogLine, testEnv, WITH_KEY } from './gateway.ts';
import { startService } from './service.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const TIMEOUT_MS = 90_000;

/** The gateway as a process of its own. */
export class GatewayProcess {
  readonly #child: Child;

  constructor(env: NodeJS.ProcessEnv) {
    this.#child = startChild(process.execPath, [MAIN], {
      env: { PATH: process.env.PATH, ...testEnv(), METRICS_PORT: '0', RATE_LIMIT_PER_MINUTE: '0', ...env },
    });
    own(() => this.#child.kill());
  }

  get errors(): string {
    return this.#child.written.stderr;
  }

  /** The address of the gateway. */
  get url(): string {
    return `http://127.0.0.1:${this.#listens?.port}`;
  }

  /** The status of a GET with an API key. */
  async get(path: string): Promise<number> {
    return (await fetch(this.url + path, { headers: WITH_KEY })).status;
  }

  /** The log lines so far, without an incomplete last one. @throws SyntaxError if a line is damaged */
  log(): LogLine[] {
    return this.#child.written.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  async untilLogged(message: string): Promise<LogLine> {
    const find = () => this.log().find(({ msg }) => msg === message);
    await this.until(() => find() !== undefined);
    return find() as LogLine;
  }

  async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    await until(isSo, { timeoutMs: TIMEOUT_MS, message: () => this.#child.printed() });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.signal(name);
  }

  /** Resolves with the exit code when the output is complete. */
  async ended(): Promise<number> {
    return (await this.#child.closed).code;
  }

  get #listens(): LogLine | undefined {
    return this.log().find(({ msg }) => msg === 'gateway is listening');
  }
}

/** A ready gateway in front of one service that replaces all services. */
export async function startGatewayProcess(env: NodeJS.ProcessEnv = {}): Promise<GatewayProcess> {
  const { url } = await startService();
  const gateway = new GatewayProcess({ ...allServices(url), ...env });
  await gateway.untilLogged('gateway is listening');
  await gateway.until(async () => (await fetch(`${gateway.url}/ready`)).ok);
  return gateway;
}
