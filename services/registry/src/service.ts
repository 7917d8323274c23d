import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@agent-fleet/shared/http/health';
import type { App } from '@agent-fleet/shared/http/serve';
import { createLogger, type Logger } from '@agent-fleet/shared/logger';
import { createMetricsRegistry } from '@agent-fleet/shared/metrics/metrics-app';
import { createQueueMetrics } from '@agent-fleet/shared/metrics/queue-metrics';
import { createRedisMetrics } from '@agent-fleet/shared/metrics/redis-metrics';
import { createServiceTracing } from '@agent-fleet/shared/tracing/trace-service';
import type { Registry } from 'prom-client';
import { createApp } from './app.ts';
import { Builder } from './build/builder.ts';
import type { RegistryConfig } from './config.ts';
import { expandSources } from './fetch/expand-sources.ts';
import { FETCH_LIMITS, type FetchLimits } from './fetch/fetch-source.ts';
import { exposeSnapshots } from './publish/metrics.ts';
import { RefreshSchedule } from './publish/refresh-schedule.ts';
import { Snapshots } from './publish/snapshots.ts';
import { SkillFiles } from './serve/skill-file/skill-files.ts';
import { sourcesKey as toSourcesKey } from './source/source.ts';
import { DiskSnapshotStore } from './store/disk-snapshot-store.ts';
import { RedisSnapshotStore } from './store/redis-snapshot-store.ts';

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
  app: App;
  metrics: Registry;
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
  const metrics = createMetricsRegistry();
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
  exposeSnapshots(metrics, snapshots, refreshMs);
  redis.measureBy(createRedisMetrics(metrics));
  await snapshots.load(REDIS_WAIT_MS);
  // The connection logs its own failures. While Redis is unavailable, no replica waits for this one.
  const announceAlive = () => void redis.announceAlive().catch(() => {});
  announceAlive();

  const schedule = new RefreshSchedule(
    { redisUrl, prefix, sourcesKey, everyMs: refreshMs, onRestart: createQueueMetrics(metrics), logger },
    (minAgeMs, patienceMs) => snapshots.refresh(minAgeMs, patienceMs).catch(unlessStopping),
  );
  const poll = setInterval(() => void snapshots.sync(), overrides.pollMs ?? POLL_MS).unref();
  const sign = setInterval(announceAlive, POLL_MS).unref();
  await waitForFirstFetch(snapshots);

  const files = new SkillFiles({ allowsPrivate: config.allowsPrivate, signal, now });
  const tracing = createServiceTracing(config.tracing, 'registry', metrics, logger);
  const app = tracing.trace(createApp({ config, snapshots, files, metrics, lifecycle, logger }));
  const close = async () => {
    await tracing.close();
    clearInterval(poll);
    clearInterval(sign);
    stopping.abort();
    await schedule.close();
    await builder.close();
    redis.close();
  };
  return { app, metrics, lifecycle, logger, snapshots, close };
}

async function waitForFirstFetch(snapshots: Snapshots): Promise<void> {
  const deadline = Date.now() + FIRST_FETCH_WAIT_MS;
  while (snapshots.own === undefined && snapshots.check === undefined && Date.now() < deadline) await sleep(20);
}
