import { answerDocument, createDocument } from '@agent-fleet/shared/contract/openapi';
import { createRouter } from '@agent-fleet/shared/contract/router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { answerHealth, answerReady, type Lifecycle } from '@agent-fleet/shared/http/health';
import { requireInternalToken } from '@agent-fleet/shared/http/internal-access';
import { createLogger, type Logger } from '@agent-fleet/shared/logger';
import { connectRedis } from '@agent-fleet/shared/redis/connection';
import type { Express } from 'express';
import { createAgentStore } from './agents/agent-store.ts';
import { createAgents } from './agents/agents.ts';
import { createAgentsContract } from './agents/contract.ts';
import type { AgentsConfig } from './config.ts';
import { createEventStore, type EventStream } from './events/event-store.ts';
import { createEventStreams } from './events/event-streams.ts';
import { createEvents } from './events/events.ts';
import { startFeed } from './events/feed.ts';
import { createFleet } from './fleet/fleet.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { createKeys } from './keys.ts';
import { createLeaseFromTypes } from './leases/contract.ts';
import { createLeaseAcquirer } from './leases/lease-acquirer.ts';
import { createLeases } from './leases/leases.ts';
import { WorkNotifier } from './leases/work-notifier.ts';
import { createTaskQueue } from './queue/task-queue.ts';
import { createBindings, TAGS } from './routes.ts';
import { createRepair } from './sweep/repair.ts';
import { startSweep } from './sweep/sweep.ts';
import { createAgentTasks } from './tasks/agent-tasks.ts';
import { createTaskStore } from './tasks/task-store.ts';
import { createTaskWriter } from './tasks/task-writer.ts';
import { createTaskOperations } from './tasks/tasks.ts';
import { createEndWaits } from './tasks/wait-for-end.ts';
import { startTimers } from './timers/timers.ts';

const SWEEP_EVERY_MS = 5_000;

export interface AgentsService {
  app: Express;
  lifecycle: Lifecycle;
  logger: Logger;
  /** Responds to all waiting requests and ends event streams. Call it before the server stops. */
  endOpenRequests(): void;
  close(): Promise<void>;
}

interface Overrides {
  logger?: Logger;
  sweep?: { everyMs: number; olderThanMs: number };
  /** How long a client of an event stream may read nothing. */
  stalledMs?: number;
}

/** Builds the service. `overrides` are for tests. */
export function createService(config: AgentsConfig, overrides: Overrides = {}): AgentsService {
  const logger = overrides.logger ?? createLogger('agents', config.logLevel);
  const { retention, agentTypes } = config;
  const retentionMs = retention.ms;
  const redis = connectRedis(config.redis.url, logger);
  const keys = createKeys(config.redis.prefix);

  const queue = createTaskQueue(redis, keys);
  const fleet = createFleet(redis, keys, queue, logger);
  const agentTasks = createAgentTasks(redis, keys, fleet, queue);
  const taskWriter = createTaskWriter({ redis, keys, fleet, queue, retention, logger });
  const notifier = new WorkNotifier();
  const feed = startFeed(
    config.redis.url,
    keys,
    {
      onWakeup: ({ agentId, type, count }) => notifier.notify([`agent:${agentId}`, `type:${type}`], count),
      onGap: () => notifier.notifyAll(),
    },
    logger,
  );
  const eventStore = createEventStore(redis, keys);
  const endWaits = createEndWaits(feed);

  const agents = createAgents(createAgentStore(redis, keys, fleet, agentTasks));
  const { requireAgent } = agents;
  const store = createTaskStore(redis, keys);
  const hasEnded = ({ agentId, taskId }: EventStream) => store.hasEnded(agentId as string, taskId as string);
  const streams = createEventStreams({ store: eventStore, feed, hasEnded, logger, stalledMs: overrides.stalledMs });
  const tasks = createTaskOperations({ store, taskWriter, requireAgent, waitForEnd: endWaits.wait });
  const acquirer = createLeaseAcquirer(fleet, queue, taskWriter, retentionMs);
  const bindings = createBindings(createAgentsContract(agentTypes), createLeaseFromTypes(agentTypes), {
    agents,
    tasks,
    leases: createLeases({ acquirer, notifier, taskWriter, requireAgent, logger }),
    events: createEvents({ store: eventStore, streams, requireAgent, requireTask: tasks.requireTask }),
    idempotent: createIdempotency(redis, keys),
  });

  const timers = startTimers({ redis, keys, fleet, queue, taskWriter, retentionMs, logger });
  const sweep = startSweep({
    redisUrl: config.redis.url,
    prefix: keys.queues,
    logger,
    everyMs: SWEEP_EVERY_MS,
    repair: createRepair(redis, keys, fleet, agentTasks),
    ...overrides.sweep,
  });

  const document = createDocument(
    'Agents API',
    TAGS,
    bindings.map(({ operation }) => operation),
  );
  const lifecycle: Lifecycle = { stopping: false };
  const checkReadiness = async () => ({
    redis: await redis.ping().then(
      () => 'ok',
      () => 'unavailable',
    ),
  });

  const app = createHttpApp();
  app.get('/health', answerHealth);
  app.get('/ready', answerReady(lifecycle, checkReadiness));
  app.use(requireInternalToken(config.internalToken));
  app.get('/openapi.json', answerDocument(document));
  app.use(createRouter(bindings));
  finishApp(app, logger);

  return {
    app,
    lifecycle,
    logger,
    endOpenRequests() {
      notifier.close();
      endWaits.close();
      streams.close();
    },
    async close() {
      await sweep.close();
      await timers.close();
      await feed.close();
      redis.disconnect();
    },
  };
}
