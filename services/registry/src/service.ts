import { setTimeout as sleep } from 'node:timers/promises';
import { answerHealth, answerReady, type Lifecycle } from '@agent-fleet/shared/health';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http-app';
import { requireInternalToken } from '@agent-fleet/shared/internal-access';
import { createLogger, type Logger } from '@agent-fleet/shared/logger';
import { answerDocument, createDocument } from '@agent-fleet/shared/openapi';
import { createRouter } from '@agent-fleet/shared/router';
import type { Express } from 'express';
import type { RegistryConfig } from './config.ts';
import { allowAnyOrigin } from './http/cors.ts';
import { createBindings } from './routes.ts';
import { DiskSnapshotStore } from './snapshots/disk-snapshot-store.ts';
import { RedisSnapshotStore } from './snapshots/redis-snapshot-store.ts';
import { RefreshSchedule } from './snapshots/refresh-schedule.ts';
import { Snapshots } from './snapshots/snapshots.ts';
import { FETCH_LIMITS, type FetchLimits } from './upstream/fetch-source.ts';

/** For tests. */
export interface ServiceOverrides {
  logger?: Logger;
  limits?: Partial<FetchLimits>;
  pollMs?: number;
}

export interface RegistryService {
  app: Express;
  lifecycle: Lifecycle;
  logger: Logger;
  close(): Promise<void>;
}

/** A safety net beside pub/sub. */
const POLL_MS = 2_000;
const REDIS_WAIT_MS = 1_000;
/** For a source that no replica has ever read; after it the shipped file is served. */
const FIRST_FETCH_WAIT_MS = 1_500;

/** The whole service, ready to answer: with the last good snapshot, or with the shipped file. */
export async function createService(
  config: RegistryConfig,
  overrides: ServiceOverrides = {},
): Promise<RegistryService> {
  const { source, refreshMs } = config;
  const { url: redisUrl, prefix } = config.redis;
  const logger = overrides.logger ?? createLogger('registry', config.logLevel);
  const limits = { ...FETCH_LIMITS, ...overrides.limits };
  const stopping = new AbortController();
  const lifecycle: Lifecycle = { stopping: false };
  const unlessStopping = (error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  };

  const storeOptions = { redisUrl, prefix, source, maxBytes: limits.maxBytes, logger };
  const redis = new RedisSnapshotStore(storeOptions, () => void snapshots.sync());
  const disk = config.dataDir === undefined ? undefined : new DiskSnapshotStore(config.dataDir, source);
  const snapshots = new Snapshots({ source, redis, disk, limits, logger });
  await snapshots.load(REDIS_WAIT_MS, stopping.signal);

  const schedule = new RefreshSchedule(
    { redisUrl, prefix, sourceKey: source.key, everyMs: refreshMs, logger },
    {
      refresh: (minAgeMs) => snapshots.refresh(stopping.signal, minAgeMs).catch(unlessStopping),
      lastCheckAt: () => snapshots.check?.at ?? 0,
    },
  );
  const poll = setInterval(() => void snapshots.sync(), overrides.pollMs ?? POLL_MS).unref();
  await waitForFirstFetch(snapshots);

  const app = createApp(config, snapshots, lifecycle, logger);
  const close = async () => {
    clearInterval(poll);
    stopping.abort();
    await schedule.close();
    redis.close();
  };
  return { app, lifecycle, logger, close };
}

function createApp(config: RegistryConfig, snapshots: Snapshots, lifecycle: Lifecycle, logger: Logger): Express {
  const bindings = createBindings(snapshots, config.refreshMs);
  const document = createDocument(
    'Skills Registry API',
    bindings.map(({ operation }) => operation),
  );
  const checkReadiness = async () => ({ snapshot: snapshots.served ? 'ok' : 'missing' });

  const app = createHttpApp();
  app.get('/health', answerHealth);
  app.get('/ready', answerReady(lifecycle, checkReadiness));
  app.get('/openapi.json', answerDocument(document));
  app.use(requireInternalToken(config.internalToken));
  app.use(allowAnyOrigin);
  app.use(createRouter(bindings));
  return finishApp(app, logger);
}

async function waitForFirstFetch(snapshots: Snapshots): Promise<void> {
  const deadline = Date.now() + FIRST_FETCH_WAIT_MS;
  while (snapshots.own === undefined && snapshots.check === undefined && Date.now() < deadline) await sleep(20);
}
