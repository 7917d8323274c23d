import { serve } from '@agent-fleet/shared/http/serve';
import type { Logger } from '@agent-fleet/shared/logger';
import type { Closable } from '@agent-fleet/shared/process';
import type { GatewayConfig } from '../config.ts';
import { createGateway } from '../gateway.ts';
import { serveGateway } from './serve-gateway.ts';

/** Runs the gateway in this process alone, with its metrics on their own port. */
export async function startLoneProcess(config: GatewayConfig, logger: Logger): Promise<Closable> {
  const gateway = createGateway(config, logger);
  const { drainSeconds } = config;
  const server = await serveGateway(gateway, config);
  const metrics = await serve(gateway.metricsApp, { ...config.metrics, drainSeconds: 0, lifecycle: gateway.lifecycle });
  process.on('SIGHUP', () => logger.warn('SIGHUP ignored: a single process cannot restart without losing requests'));
  logger.info({ port: server.port, metrics_port: metrics.port, processes: 1 }, 'gateway is listening');
  return {
    async close() {
      gateway.stop(drainSeconds);
      await server.close();
      await metrics.close();
      await gateway.close();
      logger.info('gateway stopped');
    },
  };
}
