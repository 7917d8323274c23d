import { join, resolve } from 'node:path';
import { type Child, type ChildOptions, startChild } from './local/child-process.ts';

export const ROOT = resolve(import.meta.dirname, '..');

/** A program of this repository that serves HTTP. */
interface Service {
  name: string;
  /** Relative to the root. */
  main: string;
  /** The default; in containers always this one. */
  port: number;
  /** Variables that Node or the C library reads at the start. */
  environment: NodeJS.ProcessEnv;
}

/**
 * Every service, with those that others depend on first. The launcher, the end-to-end tests and the benchmarks start
 * them from this list; `checks/services.test.ts` compares docker-compose.yml and deploy/Dockerfile with it.
 */
export const SERVICES = [
  { name: 'identity', main: 'services/identity/src/main.ts', port: 8083, environment: {} },
  { name: 'agents', main: 'services/agents/src/main.ts', port: 8081, environment: {} },
  {
    name: 'registry',
    main: 'services/registry/src/main.ts',
    port: 8082,
    // A snapshot of many megabytes replaces another: by default glibc would keep 150 MB and more of what is freed. The
    // threshold is below the size of a column of the index (measured).
    environment: { MALLOC_MMAP_THRESHOLD_: '262144', MALLOC_TRIM_THRESHOLD_: '16777216' },
  },
  { name: 'gateway', main: 'gateway/src/main.ts', port: 8080, environment: {} },
] as const satisfies Service[];

export type ServiceName = (typeof SERVICES)[number]['name'];
export type UpstreamName = Exclude<ServiceName, 'gateway'>;

export const SERVICE_NAMES = SERVICES.map(({ name }) => name);

/** The services behind the gateway. */
export const UPSTREAMS = SERVICE_NAMES.filter((name) => name !== 'gateway');

/**
 * A third less memory, measured under load, for about 5 % of a request's processor time: Node's own limits, made for a
 * machine of its size, let much more garbage pile up. deploy/Dockerfile has the same.
 */
export const NODE_FLAGS = ['--max-semi-space-size=4', '--max-old-space-size=1024'];

export const NODE_ENVIRONMENT = {
  /** Saves half of the processor time of a start, and 25 MB of memory, from the second start on (measured). */
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/agent-fleet'),
  /** By default glibc's malloc has an arena for each thread of V8 and libuv, which hold 5 to 25 MB. */
  MALLOC_ARENA_MAX: '1',
};

export function serviceNamed(name: ServiceName): Service {
  return SERVICES.find((service) => service.name === name) as Service;
}

export interface ServiceOptions extends Omit<ChildOptions, 'cwd'> {
  env: NodeJS.ProcessEnv;
  /** Arguments for Node, before the service's file. */
  nodeArgs?: readonly string[];
  /** A command that becomes the service, such as `nsenter` with its arguments. Default: none. */
  through?: readonly string[];
}

/** Starts a service with exactly `env` and what every service has. */
export function startService(
  name: ServiceName,
  { env, nodeArgs = [], through = [], ...options }: ServiceOptions,
): Child {
  const { main, environment } = serviceNamed(name);
  const [file = '', ...args] = [...through, process.execPath, ...NODE_FLAGS, ...nodeArgs, join(ROOT, main)];
  return startChild(file, args, {
    ...options,
    cwd: ROOT,
    // A free port, which the service logs: several replicas may run on one machine.
    env: { METRICS_PORT: '0', ...NODE_ENVIRONMENT, ...environment, ...env },
  });
}

/** The gateway's variables that name its upstreams: `AGENTS_URL` and so on. */
export function upstreamVariables(toUrl: (name: UpstreamName) => string): NodeJS.ProcessEnv {
  return Object.fromEntries(UPSTREAMS.map((name) => [`${name.toUpperCase()}_URL`, toUrl(name)]));
}
