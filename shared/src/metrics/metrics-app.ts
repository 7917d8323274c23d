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

/** Serves `/metrics` in the Prometheus text format on a port of its own. @throws the listen error */
export function serveMetrics(registry: Registry, config: MetricsConfig, logger: Logger): Promise<RunningServer> {
  const app = createHttpApp();
  app.get('/metrics', async (_req, res) => {
    res.type(registry.contentType).send(await registry.metrics());
  });
  return serve(finishApp(app, logger), { ...config, drainSeconds: 0, lifecycle: { stopping: false } });
}
