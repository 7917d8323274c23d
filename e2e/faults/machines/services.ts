import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ServiceName,
  serviceNamed,
  startService,
  UPSTREAMS,
  upstreamVariables,
} from '@agent-fleet/scripts/services';
import { ADMIN, API_KEY, INTERNAL_TOKEN, JWT_SECRET } from '../../harness/local-fleet.ts';
import { run } from '../sandbox.ts';
import { ProcessClock } from './clock.ts';
import type { Machine, Network } from './network.ts';
import { Program } from './program.ts';
import type { Setting } from './redis-node.ts';
import type { RedisPicture } from './sentinel-picture.ts';

const REPLICAS: Record<ServiceName, number> = { identity: 2, agents: 2, registry: 1, gateway: 2 };
const CREDENTIALS = { API_KEYS: `e2e:${API_KEY}`, JWT_SECRET };

const ENVIRONMENT: Record<ServiceName, NodeJS.ProcessEnv> = {
  identity: {
    ...CREDENTIALS,
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    SIGN_IN_FAILURES_PER_ACCOUNT: '0',
    PASSWORD_HASH_MEMORY_KIB: '8192',
    PASSWORD_HASH_PASSES: '1',
  },
  agents: {},
  registry: {},
  gateway: {
    ...CREDENTIALS,
    RATE_LIMIT_PER_MINUTE: '0',
    SIGN_IN_LIMIT_PER_MINUTE: '0',
    AUTH_LIMIT_PER_MINUTE: '0',
    ...upstreamVariables((name) => `http://${name}:${serviceNamed(name).port}`),
  },
};

export type Services = Record<ServiceName, Program[]>;

export interface ServicesOptions {
  network: Network;
  redis: Pick<RedisPicture, 'url' | 'minReplicas'>;
  setting: Setting;
  /** Arguments of Node and variables for each service, such as those of a planted fault. */
  nodeArgs?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

/** The replicas of each service, each on a machine of its own. A name resolves to all replicas, as in containers. */
export function createServices({ network, redis, setting, nodeArgs = [], env = {} }: ServicesOptions): Services {
  const hosts: string[] = ['127.0.0.1 localhost'];
  const create = (name: ServiceName, number: number) => {
    const machine = network.add(`${name}-${number}`);
    hosts.push(`${machine.address} ${name}`);
    const clock = new ProcessClock(machine.name);
    const variables = {
      PATH: process.env.PATH,
      LOG_LEVEL: 'info',
      HOST: '0.0.0.0',
      PORT: String(serviceNamed(name).port),
      DRAIN_SECONDS: '3',
      INTERNAL_TOKEN,
      REDIS_URL: redis.url,
      REDIS_MIN_REPLICAS: String(redis.minReplicas),
      ...ENVIRONMENT[name],
      ...clock.env,
      ...env,
    };
    return new Program(machine.name, machine, () => launch(name, machine, variables), setting.violate, clock);
  };
  const launch = (name: ServiceName, { through, name: machineName }: Machine, variables: NodeJS.ProcessEnv) =>
    startService(name, {
      env: variables,
      nodeArgs,
      through,
      output: { logFile: join(setting.logDir, `${machineName}.log`) },
      endsWithParent: false,
    });
  const services = Object.fromEntries(
    [...UPSTREAMS, 'gateway' as const].map((name) => {
      const replicas = Array.from({ length: REPLICAS[name] }, (_, at) => create(name, at + 1));
      return [name, replicas];
    }),
  ) as Services;
  writeFileSync('/run/hosts', `${hosts.join('\n')}\n`);
  run('mount', '--bind', '/run/hosts', '/etc/hosts');
  return services;
}

export function urlOf({ machine }: Program, name: ServiceName): string {
  return `http://${machine.address}:${serviceNamed(name).port}`;
}
