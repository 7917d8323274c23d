import { serve } from '@agent-fleet/shared/http/serve';
import { runService } from '@agent-fleet/shared/process';
import { readAgentsConfig } from './config.ts';
import { createService } from './service.ts';

await runService(async () => {
  const config = readAgentsConfig(process.env);
  const { app, lifecycle, logger, migrated, endOpenRequests, close } = createService(config);
  const { host, port, drainSeconds } = config;
  const server = await serve(app, { host, port, lifecycle, drainSeconds });
  await migrated;
  logger.info({ port: server.port }, 'agents service is listening');
  return {
    async close() {
      endOpenRequests();
      await server.close();
      await close();
      logger.info('agents service stopped');
    },
  };
});
