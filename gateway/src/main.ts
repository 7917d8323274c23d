import { createLogger } from '@agent-fleet/shared/logger';
import { runService } from '@agent-fleet/shared/process';
import { serve } from '@agent-fleet/shared/serve';
import { readGatewayConfig } from './config.ts';
import { createGateway } from './gateway.ts';
import { openLogDestination } from './log-destination.ts';

/** Clients that send their headers slowly hold a connection no longer than this. */
const CLIENT_HEADERS_TIMEOUT_MS = 10_000;

await runService(async () => {
  const config = readGatewayConfig(process.env);
  const logger = createLogger('gateway', config.logLevel, openLogDestination());
  const gateway = createGateway(config, logger);
  const { host, port, drainSeconds } = config;
  const server = await serve(gateway.app, {
    host,
    port,
    drainSeconds,
    headersTimeoutMs: CLIENT_HEADERS_TIMEOUT_MS,
    lifecycle: gateway.lifecycle,
  });
  const metrics = await serve(gateway.metricsApp, { ...config.metrics, drainSeconds: 0, lifecycle: gateway.lifecycle });
  logger.info({ port: server.port, metrics_port: metrics.port }, 'gateway listens');
  return {
    async close() {
      gateway.stop(drainSeconds);
      await server.close();
      await metrics.close();
      await gateway.close();
      logger.info('gateway stopped');
    },
  };
});
