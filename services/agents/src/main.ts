import { runService } from '@agent-fleet/shared/process';
import { serveService } from '@agent-fleet/shared/service';
import { readAgentsConfig } from './config.ts';
import { createService } from './service.ts';

await runService(async () => {
  const config = readAgentsConfig(process.env);
  return serveService('agents service', config, createService(config));
});
