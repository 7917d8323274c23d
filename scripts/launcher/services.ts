import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Child } from '../local/child-process.ts';
import { type ServiceName, startService, type UpstreamName, upstreamVariables } from '../services.ts';
import type { Credentials } from './credentials.ts';
import type { Settings } from './settings.ts';

/**
 * What the launcher decides for the services. They also get its own environment, so that every documented variable
 * reaches them.
 */
export interface Wiring {
  settings: Settings;
  credentials: Credentials;
  redisUrl: string;
  ports: Record<UpstreamName, number>;
  /** For the gateway: the folder of the catalogue and the console. */
  webRoot?: string | undefined;
}

export function launchService(name: ServiceName, wiring: Wiring): Child {
  const own = name === 'gateway' ? gatewayEnvironment(wiring) : upstreamEnvironment(name, wiring);
  return startService(name, {
    env: { ...process.env, REDIS_URL: wiring.redisUrl, ...own },
    output: { logFile: logFile(wiring.settings, name) },
  });
}

export function logFile({ dataDir }: Settings, name: ServiceName): string {
  return join(dataDir, 'logs', `${name}.log`);
}

function upstreamEnvironment(name: UpstreamName, { settings, credentials, ports }: Wiring): NodeJS.ProcessEnv {
  return {
    DATA_DIR: join(settings.dataDir, name),
    HOST: '127.0.0.1',
    PORT: String(ports[name]),
    METRICS_PORT: '0',
    // Identity signs tokens, and the gateway verifies them.
    ...(name === 'identity' ? credentials.values : { INTERNAL_TOKEN: credentials.values.INTERNAL_TOKEN }),
    ...(name === 'agents' && {
      SESSION_ENCRYPTION_KEY: credentials.values.SESSION_ENCRYPTION_KEY,
      REGISTRY_URL: `http://127.0.0.1:${ports.registry}`,
    }),
  };
}

function gatewayEnvironment({ settings, credentials, ports, webRoot }: Wiring): NodeJS.ProcessEnv {
  return {
    ...credentials.values,
    HOST: settings.host,
    PORT: String(settings.port),
    // A free one, which the gateway logs.
    METRICS_PORT: process.env.METRICS_PORT || '0',
    // Later builds may have removed the folder when the gateway has to be restarted.
    ...(webRoot !== undefined && existsSync(webRoot) && { WEB_ROOT: webRoot }),
    ...upstreamVariables((name) => `http://127.0.0.1:${ports[name]}`),
  };
}
