import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { type ProcessInfo, processTree } from '@agent-fleet/shared/testing/processes';
import { API_KEY, EMAIL, INTERNAL_TOKEN, PASSWORD, SECRET } from './gateway.ts';
import { AGENT_OPERATIONS, REGISTRY_OPERATIONS, startService } from './service.ts';
import { withUpstreams } from './upstreams.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const WAIT_MS = 90_000;

type LogLine = { pid: number; level: string; msg: string } & Record<string, unknown>;

/** The gateway as processes of their own, in a process group of their own. */
export class GatewayProcess {
  readonly #child: Child;

  constructor(env: NodeJS.ProcessEnv) {
    const common = {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_PORT: '0',
      REDIS_URL: process.env.TEST_REDIS_URL,
      REDIS_PREFIX: `test-${randomUUID().slice(0, 18)}`,
      API_KEYS: `ci:${API_KEY}`,
      ADMIN_EMAIL: EMAIL,
      ADMIN_PASSWORD: PASSWORD,
      JWT_SECRET: SECRET,
      INTERNAL_TOKEN,
      RATE_LIMIT_PER_MINUTE: '0',
      SIGN_IN_LIMIT_PER_MINUTE: '0',
    };
    // Its own processes have to end by themselves.
    this.#child = startChild(process.execPath, [MAIN], {
      env: { ...common, ...withUpstreams(env) },
      endsWithParent: false,
    });
  }

  get errors(): string {
    return this.#child.written.stderr;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Where it listens. @throws before it does */
  get url(): string {
    return `http://127.0.0.1:${this.#listens?.port}`;
  }

  async metrics(): Promise<string> {
    return await (await fetch(`http://127.0.0.1:${this.#listens?.metrics_port}/metrics`)).text();
  }

  /** Those beside the first that run now. */
  children(): ProcessInfo[] {
    return processTree(this.pid).filter(({ pid }) => pid !== this.pid);
  }

  /** What is logged so far, without a line that is not whole yet. @throws SyntaxError when one is torn */
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

  /** Asks again until the answer is yes. @throws with all that it printed */
  async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + WAIT_MS;
    while (!(await isSo())) {
      if (Date.now() > deadline || !this.#child.isRunning()) {
        throw new Error(`Not so in ${WAIT_MS} ms, or ended: ${this.#child.printed()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#child.signal(name);
  }

  signalGroup(name: NodeJS.Signals): void {
    process.kill(-this.pid, name);
  }

  /** Resolves with the exit code once its output is complete. */
  async ended(): Promise<number> {
    return (await this.#child.closed).code;
  }

  /** Ends whatever is left of it. */
  async kill(): Promise<void> {
    try {
      this.signalGroup('SIGKILL');
    } catch {
      // Nothing is.
    }
    await this.#child.closed;
  }

  get #listens(): LogLine | undefined {
    return this.log().find(({ msg }) => msg === 'gateway listens');
  }
}

const owned: (() => Promise<unknown>)[] = [];

/** Ends what the starters below started, in reverse order. */
export async function endAll(): Promise<void> {
  for (const end of owned.splice(0).reverse()) await end();
}

export function spawnGateway(env: NodeJS.ProcessEnv): GatewayProcess {
  const gateway = new GatewayProcess(env);
  owned.push(() => gateway.kill());
  return gateway;
}

/** Before two small services, ready. */
export async function startProcesses(processes: number, env: NodeJS.ProcessEnv = {}): Promise<GatewayProcess> {
  const services = await Promise.all([startService(AGENT_OPERATIONS), startService(REGISTRY_OPERATIONS)]);
  owned.push(() => Promise.all(services.map((service) => service.close())));
  const [AGENTS_URL, REGISTRY_URL] = services.map(({ port }) => `http://127.0.0.1:${port}`);
  const gateway = spawnGateway({ GATEWAY_PROCESSES: String(processes), AGENTS_URL, REGISTRY_URL, ...env });
  await gateway.untilLogged('gateway listens');
  await gateway.until(async () => (await fetch(`${gateway.url}/ready`)).ok);
  return gateway;
}
