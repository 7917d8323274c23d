import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '@agent-fleet/shared/http/serve';
import { serveMetrics } from '@agent-fleet/shared/metrics/metrics-app';
import { runService } from '@agent-fleet/shared/process';
import { readIdentityConfig } from './config.ts';
import { createService } from './service.ts';

/** As in the agents service: a replica listens once it can serve. */
const LISTEN_WITHIN_MS = 2_000;
/** Password hashing yields to everything else on the machine. The threads that hash inherit it: set it before. */
const NICENESS = 19;

await runService(async () => {
  setPriority(NICENESS);
  const config = readIdentityConfig(process.env);
  const { app, metrics, lifecycle, logger, started, close } = createService(config);
  const { host, port, drainSeconds } = config;
  const metricsServer = await serveMetrics(metrics, config.metrics, logger);
  await Promise.race([started, sleep(LISTEN_WITHIN_MS)]);
  const server = await serve(app, { host, port, lifecycle, drainSeconds });
  logger.info({ port: server.port, metrics_port: metricsServer.port }, 'identity service is listening');
  await started;
  return {
    async close() {
      await server.close();
      await close();
      await metricsServer.close();
      logger.info('identity service stopped');
    },
  };
});
