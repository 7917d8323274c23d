import type { Express } from 'express';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createHttpApp, finishApp } from '../http/app.ts';
import { type RunningServer, serve } from '../http/serve.ts';
import type { Logger } from '../logger.ts';
import type { MetricsConfig } from './metrics-config.ts';

/** A registry with the metrics of every process: processor time, memory, event loop, garbage collection. */
export function createMetricsRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** `GET /metrics` in the Prometheus text format, for a listener on the internal network. */
export function createMetricsApp(collect: () => Registry | Promise<Registry>, logger: Logger): Express {
  const app = createHttpApp();
  app.get('/metrics', async (_req, res) => {
    const registry = await collect();
    res.type(registry.contentType).send(await registry.metrics());
  });
  return finishApp(app, logger);
}

/** Serves `/metrics` of a service on its own port. @throws the listen error */
export function serveMetrics(registry: Registry, config: MetricsConfig, logger: Logger): Promise<RunningServer> {
  const app = createMetricsApp(() => registry, logger);
  return serve(app, { ...config, drainSeconds: 0, lifecycle: { stopping: false } });
}
