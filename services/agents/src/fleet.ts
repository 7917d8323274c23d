import type { Logger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient } from '@agent-fleet/shared/redis/connection';
import { createAgentStore } from './agents/agent-store.ts';
import { createAgents } from './agents/agents.ts';
import { startBackground } from './background/background.ts';
import type { AgentsConfig } from './config.ts';
import { createEventStore, type EventStream } from './events/event-store.ts';
import { createEventStreams } from './events/event-streams.ts';
import { createEvents } from './events/events.ts';
import { startFeed } from './events/feed.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { createHeldLeases } from './leases/held-leases.ts';
import { LeaseAcquirer } from './leases/lease-acquirer.ts';
import { createLeasing } from './leases/leasing.ts';
import { WorkNotifier } from './leases/work-notifier.ts';
import { migrate } from './migrations/migrate.ts';
import { Clock } from './redis/clock.ts';
import { createKeys, type Keys } from './redis/keys.ts';
import type { Operations } from './routes.ts';
import { createAgentTasks } from './tasks/agent-tasks.ts';
import { createChanges } from './tasks/changes.ts';
import { createCreation } from './tasks/creation.ts';
import { createTrimEnded } from './tasks/ended-tasks.ts';
import { createReading } from './tasks/reading.ts';
import { createFindRetryProblem } from './tasks/retry-of.ts';
import { type ChangeTask, createTaskChanger } from './tasks/task-changer.ts';
import { createTaskCreator } from './tasks/task-creator.ts';
import { createTaskReader } from './tasks/task-reader.ts';
import { createEndWaits } from './tasks/wait-for-end.ts';
import { startTimers } from './timers/timers.ts';

/** How long a request goes on with steps for all tasks of an agent, before it leaves them to the background job. */
const STEPS_IN_REQUEST_MS = 1_000;

interface Options {
  logger: Logger;
  backgroundEveryMs?: number;
  stalledMs?: number;
}

/** Runs without a request. */
interface Part {
  close(): Promise<void>;
}

interface Context {
  redis: RedisClient;
  keys: Keys;
  clock: Clock;
  logger: Logger;
  retention: AgentsConfig['retention'];
}

/** Builds the operations of a fleet, and starts what runs without a request. */
export function startFleet(config: AgentsConfig, { logger, backgroundEveryMs, stalledMs }: Options) {
  const { retention } = config;
  const redisUrl = config.redis.url;
  const redis = connectRedis(redisUrl, logger);
  const keys = createKeys(config.redis.prefix);
  const clock = new Clock();
  const context: Context = { redis, keys, clock, logger, retention };

  const notifier = new WorkNotifier();
  const feed = startFeed(redisUrl, keys, notifier, logger);
  const endWaits = createEndWaits(feed);
  const idempotency = createIdempotency(redis, keys, clock);

  const { reader, change, agentTasks } = createTaskStores(context);
  const store = createAgentStore(redis, keys);
  const inRequest = (steps: (agentId: string, signal: AbortSignal) => Promise<void>) => (agentId: string) =>
    steps(agentId, AbortSignal.timeout(STEPS_IN_REQUEST_MS)).catch((error: unknown) =>
      logger.debug({ err: error, agent_id: agentId }, 'left the tasks of an agent to the background job'),
    );
  const steps = { retype: inRequest(agentTasks.retype), purge: inRequest(agentTasks.purge) };
  const agents = createAgents({ store, idempotency, clock, ...steps });
  const { requireAgent } = agents;

  const findRetryProblem = createFindRetryProblem(reader);
  const createTasks = createTaskCreator(redis, keys, clock, retention.ms);
  const tasks = {
    ...createReading({ reader, requireAgent, waitForEnd: endWaits.wait }),
    ...createCreation({ createTasks, idempotency, requireAgent, findRetryProblem }),
    ...createChanges({ change, findRetryProblem }),
  };
  const acquirer = new LeaseAcquirer(redis, keys, change, retention.ms, logger);
  const held = createHeldLeases(change);
  const { readWakeups } = feed;
  const leases = { ...held, ...createLeasing({ acquirer, notifier, readWakeups, held, logger }) };

  const findEnd = async ({ agentId, taskId }: EventStream) => {
    if (agentId === undefined) return 'open';
    if (taskId !== undefined) return reader.findEnd(agentId, taskId);
    return (await store.exists(agentId)) ? 'open' : 'gone';
  };
  const eventStore = createEventStore(redis, keys, clock);
  const streams = createEventStreams({ store: eventStore, feed, findEnd, logger, stalledMs });
  const events = createEvents({ store: eventStore, streams, requireAgent, requireTask: tasks.requireTask });

  const operations: Operations = { agents, tasks, leases, events };
  const parts: Part[] = [feed];
  let isMigrated = false;
  const migrated = migrate(redis, config.redis.prefix, logger).then(() => {
    isMigrated = true;
    const timers = startTimers({ redis, keys, clock, change, retentionMs: retention.ms, logger });
    parts.unshift(startBackground({ redisUrl, redis, keys, agentTasks, logger, everyMs: backgroundEveryMs }), timers);
  });

  return {
    operations,
    /** Resolves when the data has the present layout; until then no operation may run. */
    migrated,
    isMigrated: () => isMigrated,
    async checkReadiness(): Promise<Record<string, string>> {
      return { redis: await checkRedis(context), ...(!isMigrated && { data: 'migrating' }) };
    },
    endOpenRequests() {
      for (const open of [notifier, endWaits, streams]) open.close();
    },
    async close() {
      for (const part of parts) await part.close();
      redis.disconnect();
    },
  };
}

function createTaskStores({ redis, keys, clock, logger, retention }: Context) {
  const reader = createTaskReader(redis, keys);
  const onTooManyEnded = (agentId: string) => void trimEnded(agentId);
  const change: ChangeTask = createTaskChanger({ redis, keys, clock, reader, retention, onTooManyEnded });
  const trimEnded = createTrimEnded({ redis, keys, change, count: retention.count, logger });
  return { reader, change, agentTasks: createAgentTasks(redis, keys) };
}

/** Reads a key of the fleet: in a cluster, other nodes may be available when that of the fleet is not. */
async function checkRedis({ redis, keys, clock }: Context): Promise<'ok' | 'unavailable'> {
  try {
    await redis.get(keys.layout);
    return clock.isMeasured ? 'ok' : 'unavailable';
  } catch {
    return 'unavailable';
  }
}
