import { runService } from '@agent-fleet/shared/process';
import { serveService } from '@agent-fleet/shared/service';
import { readRegistryConfig } from './config.ts';
import { createService } from './service.ts';

await runService(async () => {
  const config = readRegistryConfig(process.env);
  const source = config.sources.map(({ label }) => label).join(', ');
  return serveService('registry', config, await createService(config), { source });
});
