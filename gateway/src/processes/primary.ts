import cluster from 'node:cluster';
import { serve } from '@agent-fleet/shared/http/serve';
import type { Logger } from '@agent-fleet/shared/logger';
import type { Closable } from '@agent-fleet/shared/process';
import type { GatewayConfig } from '../config.ts';
import { keepChildren } from './child-processes.ts';
import { createSharedMetrics } from './shared-metrics.ts';

/**
 * Runs the gateway as several child processes on one port. This process distributes connections round-robin, supervises
 * the child processes and serves only their metrics. SIGHUP replaces them one at a time.
 * @throws StartError with the reason why a child process did not start; the listen error of the metrics port
 */
export async function startProcesses(config: GatewayConfig, logger: Logger): Promise<Closable> {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  const lifecycle = { stopping: false };
  const metrics = await serve(createSharedMetrics(logger), { ...config.metrics, drainSeconds: 0, lifecycle });
  const children = keepChildren({
    count: config.processes,
    env: { GATEWAY_PROCESSES: String(config.processes) },
    logger,
    giveUp: async () => {
      logger.fatal('processes keep exiting soon after their start, giving up');
      await children.stop();
      process.exit(1);
    },
  });
  process.on('SIGHUP', children.replaceAll);
  const port = await children.listen();
  logger.info({ port, metrics_port: metrics.port, processes: config.processes }, 'gateway is listening');
  return {
    async close() {
      await children.stop();
      await metrics.close();
      logger.info('gateway stopped');
    },
  };
}
