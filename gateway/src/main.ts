import { serveMetrics } from '@agent-fleet/shared/metrics/metrics-app';
import { runService } from '@agent-fleet/shared/process';
import { readGatewayConfig } from './config.ts';
import { createGateway } from './gateway.ts';
import { openGatewayLog } from './observability/log-destination.ts';
import { serveGateway } from './serve-gateway.ts';

await runService(async () => {
  const config = readGatewayConfig(process.env);
  const log = openGatewayLog(config);
  const { logger } = log;
  const gateway = createGateway(config, log);
  const server = await serveGateway(gateway, config);
  const metrics = await serveMetrics(gateway.metrics, config.metrics, logger);
  logger.info({ port: server.port, metrics_port: metrics.port }, 'gateway is listening');
  return {
    async close() {
      gateway.stop(config.drainSeconds);
      await server.close();
      await metrics.close();
      await gateway.close();
      logger.info('gateway stopped');
    },
  };
});
