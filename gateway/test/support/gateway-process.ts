import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { own } from '@agent-fleet/scripts/testing/own';
import { type ProcessInfo, processTree } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { readGatewayConfig } from '../../src/config.ts';
import { API_KEY, allServices, type LogLine, testEnv } from './gateway.ts';
import { TestIdentity } from './identity.ts';
import { rawGet } from './raw-client.ts';
import { startService } from './service.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const TIMEOUT_MS = 90_000;

/** The gateway as separate processes in their own process group. */
export class GatewayProcess {
  readonly #child: Child;
  readonly #env: NodeJS.ProcessEnv;
  #identity: TestIdentity | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = { ...testEnv(), METRICS_PORT: '0', RATE_LIMIT_PER_MINUTE: '0', ...env };
    // Child processes of the gateway have to end by themselves.
    this.#child = startChild(process.execPath, [MAIN], {
      env: { PATH: process.env.PATH, ...this.#env },
      endsWithParent: false,
    });
    own(() => this.#child.kill());
  }

  get errors(): string {
    return this.#child.written.stderr;
  }

  /** Users, keys and sessions of this gateway. */
  get identity(): TestIdentity {
    this.#identity ??= new TestIdentity(readGatewayConfig(this.#env));
    return this.#identity;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The address of the gateway. */
  get url(): string {
    return `http://127.0.0.1:${this.#listens?.port}`;
  }

  async metrics(): Promise<string> {
    return await (await fetch(`http://127.0.0.1:${this.#listens?.metrics_port}/metrics`)).text();
  }

  untilMetric(line: string): Promise<void> {
    return this.until(async () => (await this.metrics()).includes(`${line}\n`));
  }

  /** The status of a GET on a new connection, which the next process handles. */
  async get(path: string): Promise<number> {
    return (await rawGet(this.url, path, `X-API-Key: ${API_KEY}`)).status;
  }

  /** The running processes besides the primary. */
  children(): ProcessInfo[] {
    return processTree(this.pid).filter(({ pid }) => pid !== this.pid);
  }

  pids(): number[] {
    return this.children().map(({ pid }) => pid);
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

  signalGroup(name: NodeJS.Signals): void {
    process.kill(-this.pid, name);
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
export async function startProcesses(processes: number, env: NodeJS.ProcessEnv = {}): Promise<GatewayProcess> {
  const { url } = await startService();
  const gateway = new GatewayProcess({ GATEWAY_PROCESSES: String(processes), ...allServices(url), ...env });
  await gateway.untilLogged('gateway is listening');
  await gateway.until(async () => (await fetch(`${gateway.url}/ready`)).ok);
  return gateway;
}
