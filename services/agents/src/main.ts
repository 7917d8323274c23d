import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '@agent-fleet/shared/http/serve';
import { serveMetrics } from '@agent-fleet/shared/metrics/metrics-app';
import { runService } from '@agent-fleet/shared/process';
import { readAgentsConfig } from './config.ts';
import { createService } from './service.ts';

/**
 * A replica listens once it can serve: a gateway repeats a refused GET at another replica, and not one that got 503.
 * After this time it listens anyway, and `/ready` says what it waits for.
 */
const LISTEN_WITHIN_MS = 2_000;

await runService(async () => {
  const config = readAgentsConfig(process.env);
  const { app, metrics, lifecycle, logger, started, endOpenRequests, close } = createService(config);
  const { host, port, drainSeconds } = config;
  const metricsServer = await serveMetrics(metrics, config.metrics, logger);
  await Promise.race([started, sleep(LISTEN_WITHIN_MS)]);
  const server = await serve(app, { host, port, lifecycle, drainSeconds });
  logger.info({ port: server.port, metrics_port: metricsServer.port }, 'agents service is listening');
  await started;
  return {
    async close() {
      endOpenRequests();
      await server.close();
      await close();
      await metricsServer.close();
      logger.info('agents service stopped');
    },
  };
});
