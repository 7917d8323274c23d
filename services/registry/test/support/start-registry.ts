import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@agent-fleet/shared/logger';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import supertest from 'supertest';
import { buildSnapshot } from '../../src/build/build.ts';
import { Builder, shareInput } from '../../src/build/builder.ts';
import type { BuildInput, BuiltSnapshot } from '../../src/build/built-snapshot.ts';
import { readRegistryConfig } from '../../src/config.ts';
import type { RegistryStatus } from '../../src/serve/status/contract.ts';
import { createService, type ServiceOverrides } from '../../src/service.ts';

export interface StartedRegistry {
  http: ReturnType<typeof supertest>;
  url: string;
  prefix: string;
  status(): Promise<RegistryStatus>;
  /** The metrics as Prometheus reads them. */
  metrics(): Promise<string>;
  /** Checks the sources now, like the schedule. */
  refresh(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface StartOptions extends ServiceOverrides {
  /** One URL, or several separated by commas. */
  source?: string;
  /** `REGISTRY_ACCEPT_SNAPSHOT`. */
  accept?: string;
  redisUrl?: string;
  prefix?: string;
  /** Default five minutes. */
  refreshMs?: number;
  dataDir?: string;
  internalToken?: string;
  /** `REGISTRY_ALLOW_PRIVATE`. */
  allowsPrivate?: boolean;
}

/** Builds in the thread of the test: starting a worker thread takes longer than building a few skills. */
class InlineBuilder extends Builder {
  override async build(input: BuildInput, signal: AbortSignal): Promise<BuiltSnapshot> {
    await shareInput(input);
    signal.throwIfAborted();
    return buildSnapshot(input);
  }
}

const quiet = createLogger('test', 'silent');

/** Starts the real service on a real Redis, with its own key prefix. */
export async function startRegistry(options: StartOptions = {}): Promise<StartedRegistry> {
  const { source, accept, redisUrl, prefix = uniquePrefix('registry'), refreshMs, dataDir, ...others } = options;
  const { internalToken, allowsPrivate, ...overrides } = others;
  const config = readRegistryConfig({
    REDIS_URL: redisUrl ?? testRedisUrl(),
    REDIS_PREFIX: prefix,
    REGISTRY_SOURCE_URL: source,
    REGISTRY_ACCEPT_SNAPSHOT: accept,
    DATA_DIR: dataDir,
    INTERNAL_TOKEN: internalToken,
    REGISTRY_ALLOW_PRIVATE: allowsPrivate?.toString(),
  });
  const service = await createService(
    { ...config, ...(refreshMs && { refreshMs }) },
    { logger: quiet, builder: new InlineBuilder(), ...overrides },
  );
  const server = createServer(service.app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const http = supertest(server);
  let closed: Promise<void> | undefined;
  return {
    http,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    prefix,
    status: async () => (await http.get('/api/registry/status').expect(200)).body,
    metrics: () => service.metrics.metrics(),
    refresh: () => service.snapshots.refresh(),
    close: () => {
      closed ??= new Promise((resolve) => server.close(resolve)).then(() => service.close());
      return closed;
    },
  };
}
