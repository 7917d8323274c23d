import { setTimeout as sleep } from 'node:timers/promises';
import { answerDocument, createDocument } from '@agent-fleet/shared/contract/openapi';
import { createRouter } from '@agent-fleet/shared/contract/router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { answerHealth, answerReady, type Lifecycle } from '@agent-fleet/shared/http/health';
import { inOrder } from '@agent-fleet/shared/http/in-order';
import { requireInternalToken, toTokenCheck } from '@agent-fleet/shared/http/internal-access';
import { createLogger, type Logger } from '@agent-fleet/shared/logger';
import type { Express, RequestHandler } from 'express';
import type { Registry } from 'prom-client';
import { Builder } from './build/builder.ts';
import type { RegistryConfig } from './config.ts';
import { expandSources } from './fetch/expand-sources.ts';
import { FETCH_LIMITS, type FetchLimits } from './fetch/fetch-source.ts';
import { BestEncodings } from './publish/best-encodings.ts';
import { DiskSnapshotStore } from './publish/disk-snapshot-store.ts';
import { createRegistryMetrics } from './publish/metrics.ts';
import { RedisSnapshotStore } from './publish/redis-snapshot-store.ts';
import { RefreshSchedule } from './publish/refresh-schedule.ts';
import { Snapshots } from './publish/snapshots.ts';
import { createBindings, TAGS } from './routes.ts';
import { ResponseCache } from './serve/caching/response-cache.ts';
import { allowAnyOrigin } from './serve/http/cors.ts';
import { intercept } from './serve/http/intercept.ts';
import { sourcesKey as toSourcesKey } from './source/source.ts';

/** For tests. */
export interface ServiceOverrides {
  logger?: Logger;
  limits?: Partial<FetchLimits>;
  pollMs?: number;
  builder?: Builder;
  /** Milliseconds since 1970. */
  now?: () => number;
}

export interface RegistryService {
  app: Express;
  lifecycle: Lifecycle;
  logger: Logger;
  snapshots: Snapshots;
  close(): Promise<void>;
}

/** Polls in case a pub/sub message is lost; also the interval of announceAlive. */
const POLL_MS = 2_000;
const REDIS_WAIT_MS = 1_000;
/** Applies to sources that no replica has fetched yet. Afterwards the shipped file is served. */
const FIRST_FETCH_WAIT_MS = 1_500;

/** Creates the service, ready to serve the last good snapshot or the shipped file. */
export async function createService(
  config: RegistryConfig,
  overrides: ServiceOverrides = {},
): Promise<RegistryService> {
  const { refreshMs, accepted, dataDir } = config;
  const { url: redisUrl, prefix } = config.redis;
  const logger = overrides.logger ?? createLogger('registry', config.logLevel);
  const limits = { ...FETCH_LIMITS, ...overrides.limits };
  const now = overrides.now ?? Date.now;
  const stopping = new AbortController();
  const { signal } = stopping;
  const sources = await expandSources(config.sources, { limits, signal, logger, dataDir });
  const sourcesKey = toSourcesKey(sources);
  const lifecycle: Lifecycle = { stopping: false };
  const unlessStopping = (error: unknown) => {
    if (!signal.aborted) throw error;
  };

  const redis = new RedisSnapshotStore({ redisUrl, prefix, sourcesKey, logger }, () => void snapshots.sync());
  const disk = dataDir === undefined ? undefined : new DiskSnapshotStore(dataDir, sourcesKey, logger, signal);
  const builder = overrides.builder ?? new Builder(logger);
  const snapshots = new Snapshots({ sources, redis, disk, builder, limits, accepted, logger, signal, now });
  const best = new BestEncodings(redis, logger);
  snapshots.onServed((served) => best.start(served));
  const metrics = createRegistryMetrics(snapshots, refreshMs);
  await snapshots.load(REDIS_WAIT_MS);
  // The connection logs its own failures. While Redis is unavailable, no replica waits for this one.
  const announceAlive = () => void redis.announceAlive().catch(() => {});
  announceAlive();

  const schedule = new RefreshSchedule(
    { redisUrl, prefix, sourcesKey, everyMs: refreshMs, logger },
    {
      refresh: (minAgeMs, patienceMs) => snapshots.refresh(minAgeMs, patienceMs).catch(unlessStopping),
      lastCheckAt: () => snapshots.check?.at ?? 0,
    },
  );
  const poll = setInterval(() => void snapshots.sync(), overrides.pollMs ?? POLL_MS).unref();
  const sign = setInterval(announceAlive, POLL_MS).unref();
  await waitForFirstFetch(snapshots);

  const app = createApp(config, snapshots, metrics, lifecycle, logger);
  const close = async () => {
    clearInterval(poll);
    clearInterval(sign);
    stopping.abort();
    best.close();
    await schedule.close();
    await builder.close();
    redis.close();
  };
  return { app, lifecycle, logger, snapshots, close };
}

function createApp(
  config: RegistryConfig,
  snapshots: Snapshots,
  metrics: Registry,
  lifecycle: Lifecycle,
  logger: Logger,
): Express {
  const responseCache = new ResponseCache();
  snapshots.onServed((served) => responseCache.reset(served));
  const isFromGateway = toTokenCheck(config.internalToken);
  const bindings = createBindings(snapshots, config.refreshMs, responseCache);
  const document = createDocument(
    'Skills Registry API',
    TAGS,
    bindings.map(({ operation }) => operation),
  );
  const checkReadiness = async () => ({ snapshot: snapshots.served ? 'ok' : 'missing' });

  const app = createHttpApp();
  app.get('/health', answerHealth);
  app.get('/ready', answerReady(lifecycle, checkReadiness));
  app.get('/metrics', answerMetrics(metrics));
  app.use(inOrder(requireInternalToken(config.internalToken), allowAnyOrigin));
  app.get('/openapi.json', answerDocument(document));
  app.use(createRouter(bindings));
  finishApp(app, logger);
  return intercept(app, (req, res) => responseCache.respond(req, res, isFromGateway));
}

/** Prometheus scrapes each replica directly; the gateway does not route this path. */
function answerMetrics(registry: Registry): RequestHandler {
  return async (_req, res) => {
    res.setHeader('content-type', registry.contentType);
    res.end(await registry.metrics());
  };
}

async function waitForFirstFetch(snapshots: Snapshots): Promise<void> {
  const deadline = Date.now() + FIRST_FETCH_WAIT_MS;
  while (snapshots.own === undefined && snapshots.check === undefined && Date.now() < deadline) await sleep(20);
}
