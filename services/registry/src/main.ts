import { serve } from '@agent-fleet/shared/http/serve';
import { runService } from '@agent-fleet/shared/process';
import { readRegistryConfig } from './config.ts';
import { createService } from './service.ts';

await runService(async () => {
  const config = readRegistryConfig(process.env);
  const { app, lifecycle, logger, close } = await createService(config);
  const { host, port, drainSeconds } = config;
  const server = await serve(app, { host, port, lifecycle, drainSeconds });
  logger.info(
    { port: server.port, source: config.sources.map(({ label }) => label).join(', ') },
    'registry is listening',
  );
  return {
    async close() {
      await server.close();
      await close();
      logger.info('registry stopped');
    },
  };
});
