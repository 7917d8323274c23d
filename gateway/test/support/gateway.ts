import { freePort } from '@agent-fleet/scripts/local/ports';
import { own } from '@agent-fleet/scripts/testing/own';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { readGatewayConfig } from '../../src/config.ts';
import { createGateway } from '../../src/gateway.ts';
import { createGatewayLog } from '../../src/observability/log-destination.ts';
import { serveGateway } from '../../src/serve-gateway.ts';
import { TestIdentity } from './identity.ts';
import { startService } from './service.ts';

export const SECRET = 'a secret of at least thirty-two bytes';
export const API_KEY = 'key-of-the-ci-0123456789';
export const WITH_KEY = { 'x-api-key': API_KEY };
export const INTERNAL_TOKEN = 'internal-token-0123456789';
/** A port on which nothing listens. */
const AWAY = 'http://127.0.0.1:1';

/** The environment of a gateway under test, with its own prefix in a real Redis and unavailable services. */
export function testEnv(): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    REDIS_URL: testRedisUrl(),
    REDIS_PREFIX: uniquePrefix('test'),
    JWT_SECRET: SECRET,
    API_KEYS: `ci:${API_KEY}`,
    INTERNAL_TOKEN,
    SIGN_IN_LIMIT_PER_MINUTE: '0',
    ...allServices(AWAY),
  };
}

/** One service that replaces all services. */
export function allServices(url: string) {
  return { IDENTITY_URL: url, AGENTS_URL: url, REGISTRY_URL: url };
}

export type LogLine = { msg: string } & Record<string, unknown>;

export type TestGateway = Awaited<ReturnType<typeof startGateway>>;

/** Starts the gateway on a free port; `env` is added to its environment. */
export async function startGateway(env: Record<string, string> = {}) {
  const config = readGatewayConfig({ ...testEnv(), ...env });
  const logs: LogLine[] = [];
  const log = createGatewayLog(config.logLevel, { write: (line) => logs.push(JSON.parse(line)) });
  const gateway = createGateway(config, log);
  const server = await serveGateway(gateway, config);
  let closed: Promise<void> | undefined;
  const stop = async () => {
    gateway.stop(0);
    await server.close();
    await gateway.close();
  };
  const close = () => {
    closed ??= stop();
    return closed;
  };
  own(() => {
    server.server.closeAllConnections();
    return close();
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    prefix: config.redis.prefix,
    /** Users, keys and sessions of this gateway. */
    identity: new TestIdentity(config),
    server,
    logs,
    /** The metrics as Prometheus reads them. */
    metrics: () => gateway.metrics.metrics(),
    close,
  };
}

export type GatewayWithServices = Awaited<ReturnType<typeof startWithServices>>;

/** A ready gateway in front of one service that replaces all services. */
export async function startWithServices(env: Record<string, string> = {}) {
  const { url, reached } = await startService();
  const gateway = await startGateway({ ...allServices(url), ...env });
  await untilReady(gateway);
  return { ...gateway, reached };
}

export async function untilReady({ url }: { url: string }): Promise<void> {
  await until(async () => (await fetch(`${url}/ready`)).ok);
}

/** A URL on which nothing listens until a test starts a server. */
export async function nowhere(scheme = 'http'): Promise<string> {
  return `${scheme}://127.0.0.1:${await freePort()}`;
}

/** Asks for a token as a form; the service that replaces identity accepts every one. */
export function signIn({ url }: { url: string }, path = '/token', method = 'POST'): Promise<Response> {
  return fetch(url + path, { method, body: new URLSearchParams({ username: 'a@b.example', password: 'wrong' }) });
}

/** A token of the user with all rights. */
export async function getToken({ identity }: { identity: TestIdentity }): Promise<string> {
  return identity.issue(await identity.admin());
}
