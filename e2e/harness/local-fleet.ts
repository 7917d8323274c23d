import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { startTestRedis, type TestRedis } from '@agent-fleet/scripts/local/test-redis';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { LocalProcess } from './local-process.ts';

const READY_TIMEOUT_MS = 90_000;

export const ADMIN = { email: 'admin@e2e.example', password: 'correct horse battery staple' };
export const API_KEY = 'e2e-key-0123456789abcdef';
export const JWT_SECRET = 'e2e-jwt-secret-e2e-jwt-secret-e2e-jwt-secret';

export type ServiceName = 'agents' | 'registry' | 'gateway';

export interface LocalFleetOptions {
  /** A Redis of its own, for tests that break it; else the one of this test run under a prefix of its own. */
  ownRedis?: boolean;
  /** Variables for single services beside those that all get. */
  env?: Partial<Record<ServiceName, NodeJS.ProcessEnv>>;
  /** Arguments for Node, before the service's file. */
  nodeArgs?: string[];
  /** The host name by which the gateway asks for the agents, which something in `nodeArgs` resolves. Default: their address. */
  agentsName?: string;
}

/** The real processes, with hands on each of them. */
export class LocalFleet {
  readonly redisUrl: string;
  readonly redisPrefix = uniquePrefix('e2e');
  /** With `ownRedis` only. */
  readonly redis: TestRedis | undefined;
  readonly agents: LocalProcess;
  readonly registry: LocalProcess;
  readonly gateway: LocalProcess;
  /** Another replica of the agents at an address of its own, which does not run yet. */
  readonly agentsAt: (host: string) => LocalProcess;
  readonly #more: LocalProcess[] = [];
  readonly #dir = mkdtempSync(join(tmpdir(), 'fleet-e2e-'));

  private constructor(redis: TestRedis | undefined, ports: Record<ServiceName, number>, options: LocalFleetOptions) {
    this.redis = redis;
    this.redisUrl = redis?.url ?? testRedisUrl();
    const common = {
      LOG_LEVEL: 'warn',
      REDIS_URL: this.redisUrl,
      REDIS_PREFIX: this.redisPrefix,
      INTERNAL_TOKEN: 'e2e-internal-token-e2e-internal-token',
      DATA_DIR: this.#dir,
    };
    const create = (name: ServiceName, main: string, env: NodeJS.ProcessEnv = {}) =>
      new LocalProcess(name, main, ports[name], { ...common, ...env }, options.nodeArgs);
    this.agents = create('agents', 'services/agents/src/main.ts', options.env?.agents);
    this.agentsAt = (host) => {
      const replica = create('agents', 'services/agents/src/main.ts', { ...options.env?.agents, HOST: host });
      this.#more.push(replica);
      return replica;
    };
    this.registry = create('registry', 'services/registry/src/main.ts', options.env?.registry);
    this.gateway = create('gateway', 'gateway/src/main.ts', {
      AGENTS_URL: options.agentsName ? `http://${options.agentsName}:${ports.agents}` : this.agents.url,
      REGISTRY_URL: this.registry.url,
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      API_KEYS: `e2e:${API_KEY}`,
      JWT_SECRET,
      METRICS_PORT: '0',
      // One process, of which tests know the id. What limits there are is tested where they are set.
      GATEWAY_PROCESSES: '1',
      RATE_LIMIT_PER_MINUTE: '0',
      SIGN_IN_LIMIT_PER_MINUTE: '0',
      ...options.env?.gateway,
    });
  }

  /** Resolves when the gateway says that all are ready. */
  static async start(options: LocalFleetOptions = {}): Promise<LocalFleet> {
    const redis = options.ownRedis ? await startTestRedis() : undefined;
    const ports = { agents: await freePort(), registry: await freePort(), gateway: await freePort() };
    const fleet = new LocalFleet(redis, ports, options);
    try {
      await Promise.all([fleet.agents.start(), fleet.registry.start(), fleet.gateway.start()]);
      await fleet.untilReady();
    } catch (error) {
      await fleet.close();
      throw error;
    }
    return fleet;
  }

  get baseUrl(): string {
    return this.gateway.url;
  }

  async untilReady(): Promise<void> {
    await until(async () => (await fetch(`${this.baseUrl}/ready`)).ok, {
      message: 'the fleet is ready',
      timeoutMs: READY_TIMEOUT_MS,
    });
  }

  /** Everything is killed with -9, a Redis of its own too. */
  async goAway(): Promise<void> {
    await Promise.all([this.gateway, this.agents, this.registry].map((part) => part.kill()));
    await this.redis?.kill();
  }

  async comeBack(): Promise<void> {
    await this.redis?.restart();
    await Promise.all([this.agents.start(), this.registry.start(), this.gateway.start()]);
    await this.untilReady();
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await Promise.all([this.agents, this.registry, ...this.#more].map((part) => part.close()));
    await this.redis?.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
