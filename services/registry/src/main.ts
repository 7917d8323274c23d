import { serve } from '@agent-fleet/shared/http/serve';
import { serveMetrics } from '@agent-fleet/shared/metrics/metrics-app';
import { runService } from '@agent-fleet/shared/process';
import { readRegistryConfig } from './config.ts';
import { createService } from './service.ts';

await runService(async () => {
  const config = readRegistryConfig(process.env);
  const { app, metrics, lifecycle, logger, close } = await createService(config);
  const { host, port, drainSeconds } = config;
  const metricsServer = await serveMetrics(metrics, config.metrics, logger);
  const server = await serve(app, { host, port, lifecycle, drainSeconds });
  const source = config.sources.map(({ label }) => label).join(', ');
  logger.info({ port: server.port, metrics_port: metricsServer.port, source }, 'registry is listening');
  return {
    async close() {
      await server.close();
      await close();
      await metricsServer.close();
      logger.info('registry stopped');
    },
  };
});
