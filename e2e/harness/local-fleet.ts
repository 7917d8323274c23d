import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@agent-fleet/scripts/local/ports';
import {
  SERVICE_NAMES,
  type ServiceName,
  UPSTREAMS,
  type UpstreamName,
  upstreamVariables,
} from '@agent-fleet/scripts/services';
import type { TestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { LocalProcess } from './local-process.ts';

const READY_TIMEOUT_MS = 90_000;

export const ADMIN = { email: 'admin@e2e.example', password: 'correct horse battery staple' };
export const API_KEY = 'e2e-key-0123456789abcdef';
export const JWT_SECRET = 'e2e-jwt-secret-e2e-jwt-secret-e2e-jwt-secret';
/** 32 bytes. */
const SESSION_ENCRYPTION_KEY = Buffer.from('e2e-session-key-e2e-session-key-').toString('base64');
export const INTERNAL_TOKEN = 'e2e-internal-token-e2e-internal-token';

/** What identity and the gateway share. */
const CREDENTIALS = { API_KEYS: `e2e:${API_KEY}`, JWT_SECRET };
const IDENTITY_ENVIRONMENT = {
  ...CREDENTIALS,
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  SIGN_IN_FAILURES_PER_ACCOUNT: '0',
  // The cheapest: tests sign in by the hundred.
  PASSWORD_HASH_MEMORY_KIB: '8192',
  PASSWORD_HASH_PASSES: '1',
};
/** No limits: tests of limits set them. */
const GATEWAY_ENVIRONMENT = {
  ...CREDENTIALS,
  METRICS_PORT: '0',
  RATE_LIMIT_PER_MINUTE: '0',
  SIGN_IN_LIMIT_PER_MINUTE: '0',
};

export interface LocalFleetOptions {
  /** Starts a Redis of its own, for tests that break it. Default: the one of this test run, with an own prefix. */
  ownRedis?: () => Promise<TestRedis>;
  /** Variables of single services, in addition to the common ones. */
  env?: Partial<Record<ServiceName, NodeJS.ProcessEnv>>;
  /** Arguments of Node before the service's file. */
  nodeArgs?: readonly string[];
  /** Host names for the gateway's upstream URLs, which a module in `nodeArgs` resolves. Default: its address. */
  hostNames?: Partial<Record<UpstreamName, string>>;
  /** Addresses of additional replicas, on the port of the service, which start with the fleet. */
  replicas?: Partial<Record<UpstreamName, readonly string[]>>;
  /** Gateways in addition to the first, on ports of their own. Default 0. */
  moreGateways?: number;
}

/** Every service as a real process that a test controls. End-to-end tests use it or the one that they share. */
export class LocalFleet {
  readonly redisUrl: string;
  readonly redisPrefix = uniquePrefix('e2e');
  /** With `ownRedis` only. */
  readonly redis: TestRedis | undefined;
  readonly services: Record<ServiceName, LocalProcess>;
  /** Replicas in addition to `services`. */
  readonly replicas: LocalProcess[];
  /** The gateway of `services` and `moreGateways`. */
  readonly gateways: LocalProcess[];
  /** Has all that the processes print. */
  readonly logFolder = mkdtempSync(join(tmpdir(), 'fleet-e2e-logs-'));
  readonly #dir = mkdtempSync(join(tmpdir(), 'fleet-e2e-'));

  private constructor(
    redis: TestRedis | undefined,
    ports: Record<ServiceName, number>,
    morePorts: readonly number[],
    options: LocalFleetOptions,
  ) {
    this.redis = redis;
    this.redisUrl = redis?.url ?? testRedisUrl();
    const storage = { REDIS_URL: this.redisUrl, REDIS_PREFIX: this.redisPrefix };
    const upstreams = upstreamVariables((name) => {
      const host = options.hostNames?.[name] ?? options.env?.[name]?.HOST ?? '127.0.0.1';
      return `http://${host}:${ports[name]}`;
    });
    const gateway = { ...GATEWAY_ENVIRONMENT, ...upstreams };
    const create = (name: ServiceName, host = '', port = ports[name]) => {
      const own = name === 'gateway' ? gateway : { DATA_DIR: join(this.#dir, `${name}${host}`) };
      const identity = name === 'identity' ? IDENTITY_ENVIRONMENT : {};
      const agents = name === 'agents' ? { SESSION_ENCRYPTION_KEY, REGISTRY_URL: upstreams.REGISTRY_URL } : {};
      const env = {
        LOG_LEVEL: 'warn',
        INTERNAL_TOKEN,
        ...storage,
        ...own,
        ...identity,
        ...agents,
        ...options.env?.[name],
        ...(host !== '' && { HOST: host }),
      };
      const logFile = join(this.logFolder, `${name}-${host}-${port}`);
      return new LocalProcess(name, port, env, { nodeArgs: options.nodeArgs, logFile });
    };
    const services = SERVICE_NAMES.map((name) => [name, create(name)] as const);
    this.services = Object.fromEntries(services) as Record<ServiceName, LocalProcess>;
    this.replicas = UPSTREAMS.flatMap((name) => (options.replicas?.[name] ?? []).map((host) => create(name, host)));
    this.gateways = [this.services.gateway, ...morePorts.map((port) => create('gateway', '', port))];
  }

  /** Resolves when the gateway reports that all dependencies are ready. */
  static async start(options: LocalFleetOptions = {}): Promise<LocalFleet> {
    const redis = await options.ownRedis?.();
    const names = Array.from({ length: options.moreGateways ?? 0 }, (_, at) => `gateway-${at}`);
    const ports = await freePorts<string>([...SERVICE_NAMES, ...names]);
    const morePorts = names.map((name) => ports[name] as number);
    const fleet = new LocalFleet(redis, ports as Record<ServiceName, number>, morePorts, options);
    try {
      await fleet.#startAll();
    } catch (error) {
      await fleet.close();
      throw error;
    }
    return fleet;
  }

  get baseUrl(): string {
    return this.services.gateway.url;
  }

  async untilReady(): Promise<void> {
    await until(async () => (await fetch(`${this.baseUrl}/ready`)).ok, {
      message: 'the fleet is ready',
      timeoutMs: READY_TIMEOUT_MS,
    });
  }

  /** All processes. */
  get processes(): LocalProcess[] {
    return [...new Set([...Object.values(this.services), ...this.gateways, ...this.replicas])];
  }

  /** Kills all processes with SIGKILL, including an own Redis. */
  async killAll(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.kill()));
    await this.redis?.kill();
  }

  async restartAll(): Promise<void> {
    await this.redis?.restart();
    await this.#startAll();
  }

  async close(): Promise<void> {
    await Promise.all(this.gateways.map((gateway) => gateway.close()));
    const upstreams = this.processes.filter((process) => !this.gateways.includes(process));
    await Promise.all(upstreams.map((process) => process.close()));
    await this.redis?.close();
    for (const dir of [this.#dir, this.logFolder]) rmSync(dir, { recursive: true, force: true });
  }

  async #startAll(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.start()));
    await this.untilReady();
  }
}
