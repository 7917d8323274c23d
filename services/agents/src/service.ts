import { answerHealth, answerReady, type Lifecycle } from '@agent-fleet/shared/health';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http-app';
import { requireInternalToken } from '@agent-fleet/shared/internal-access';
import { createLogger, type Logger } from '@agent-fleet/shared/logger';
import { answerDocument, createDocument } from '@agent-fleet/shared/openapi';
import { connectRedis } from '@agent-fleet/shared/redis';
import { createRouter } from '@agent-fleet/shared/router';
import type { Express } from 'express';
import { createAgentStore } from './agents/agent-store.ts';
import { createAgents } from './agents/agents.ts';
import { createAgentsContract } from './agents/contract.ts';
import type { AgentsConfig } from './config.ts';
import { createKeys } from './keys.ts';
import { createBindings } from './routes.ts';
import { startSweep } from './sweep/sweep.ts';
import { createTaskStore } from './tasks/task-store.ts';
import { createTasks } from './tasks/tasks.ts';

const SWEEP_EVERY_MS = 5_000;

export interface AgentsService {
  app: Express;
  lifecycle: Lifecycle;
  logger: Logger;
  close(): Promise<void>;
}

interface Overrides {
  logger?: Logger;
  sweep?: { everyMs: number; olderThanMs: number };
}

/** The whole service; `overrides` are for tests. */
export function createService(config: AgentsConfig, overrides: Overrides = {}): AgentsService {
  const logger = overrides.logger ?? createLogger('agents', config.logLevel);
  const redis = connectRedis(config.redis.url, logger);
  const keys = createKeys(config.redis.prefix);
  const agentStore = createAgentStore(redis, keys);
  const sweep = startSweep({
    redisUrl: config.redis.url,
    prefix: keys.queues,
    logger,
    everyMs: SWEEP_EVERY_MS,
    repair: agentStore.index.sweep,
    ...overrides.sweep,
  });
  const agents = createAgents(agentStore);
  const tasks = createTasks(createTaskStore(redis, keys), agents.requireAgent);
  const bindings = createBindings(createAgentsContract(config.agentTypes), agents, tasks);
  const document = createDocument(
    'Agents API',
    bindings.map(({ operation }) => operation),
  );
  const lifecycle: Lifecycle = { stopping: false };
  const checkReadiness = async () => ({
    redis: await redis.ping().then(
      () => 'ok',
      () => 'away',
    ),
  });

  const app = createHttpApp();
  app.get('/health', answerHealth);
  app.get('/ready', answerReady(lifecycle, checkReadiness));
  app.get('/openapi.json', answerDocument(document));
  app.use(requireInternalToken(config.internalToken));
  app.use(createRouter(bindings));
  finishApp(app, logger);

  return {
    app,
    lifecycle,
    logger,
    async close() {
      await sweep.close();
      redis.disconnect();
    },
  };
}
