import { join } from 'node:path';
import { type Child, startChild } from '../local/child-process.ts';
import type { Credentials } from './credentials.ts';
import { ROOT, type Settings } from './settings.ts';

export const SERVICES = ['agents', 'registry', 'gateway'] as const;
export type ServiceName = (typeof SERVICES)[number];

const MAINS: Record<ServiceName, string> = {
  agents: 'services/agents/src/main.ts',
  registry: 'services/registry/src/main.ts',
  gateway: 'gateway/src/main.ts',
};

/**
 * A third less memory, measured under load, for about 5 % of a request's processor time: Node's own limits, made for a machine of its
 * size, let much more garbage pile up. deploy/Dockerfile has the same.
 */
export const NODE_FLAGS = ['--max-semi-space-size=4', '--max-old-space-size=1024'];

export const NODE_ENVIRONMENT = {
  /** Saves a third of the processor time of a start, and 25 MB of memory, from the second start on (measured). */
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/agent-fleet'),
  /** glibc's malloc keeps an arena for each thread of V8 and libuv otherwise, which hold 5 to 25 MB for nothing. */
  MALLOC_ARENA_MAX: '1',
};

/**
 * Of the registry, in whose memory a snapshot of many megabytes takes the place of another: glibc would learn from it to keep what is freed,
 * 150 MB and more; the threshold is below the size of a column of the index (measured). docker-compose.yml has the same.
 */
export const REGISTRY_ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: '262144', MALLOC_TRIM_THRESHOLD_: '16777216' };

/** What a service is told: the launcher's own environment, so that all of design.md section 3 reaches it, and what the launcher decides. */
export interface Wiring {
  settings: Settings;
  credentials: Credentials;
  redisUrl: string;
  ports: Record<'agents' | 'registry', number>;
}

export function startService(name: ServiceName, wiring: Wiring): Child {
  return startChild(process.execPath, [...NODE_FLAGS, join(ROOT, MAINS[name])], {
    cwd: ROOT,
    env: {
      ...NODE_ENVIRONMENT,
      ...(name === 'registry' ? REGISTRY_ENVIRONMENT : {}),
      ...process.env,
      ...(name === 'gateway' ? gatewayEnv(wiring) : innerEnv(name, wiring)),
    },
    output: { logFile: logFile(wiring.settings, name) },
  });
}

export function logFile({ dataDir }: Settings, name: ServiceName): string {
  return join(dataDir, 'logs', `${name}.log`);
}

function innerEnv(name: 'agents' | 'registry', { settings, credentials, redisUrl, ports }: Wiring): NodeJS.ProcessEnv {
  return {
    DATA_DIR: join(settings.dataDir, name),
    HOST: '127.0.0.1',
    PORT: String(ports[name]),
    REDIS_URL: redisUrl,
    INTERNAL_TOKEN: credentials.values.INTERNAL_TOKEN,
  };
}

function gatewayEnv({ settings, credentials, redisUrl, ports }: Wiring): NodeJS.ProcessEnv {
  const { JWT_SECRET, ...others } = credentials.values;
  return {
    ...others,
    // A key file given by the environment takes the secret's place.
    ...(process.env.JWT_PRIVATE_KEY_FILE ? {} : { JWT_SECRET }),
    HOST: settings.host,
    PORT: String(settings.port),
    GATEWAY_PROCESSES: process.env.GATEWAY_PROCESSES || '1',
    // A free one: the gateway's log tells it.
    METRICS_PORT: process.env.METRICS_PORT || '0',
    REDIS_URL: redisUrl,
    AGENTS_URL: `http://127.0.0.1:${ports.agents}`,
    REGISTRY_URL: `http://127.0.0.1:${ports.registry}`,
  };
}
