import type { Logger } from '@agent-fleet/shared/logger';
import { createRedisMetrics } from '@agent-fleet/shared/metrics/redis-metrics';
import { checkRedis, openStore } from '@agent-fleet/shared/redis/store';
import type { Registry } from 'prom-client';
import { createAgentStore } from './agents/agent-store.ts';
import { createAgents } from './agents/agents.ts';
import { createPauses } from './agents/pauses.ts';
import { createAudited } from './audit/audit.ts';
import { createAuditOutbox } from './audit/outbox.ts';
import { startBackground } from './background/background.ts';
import { createBulkActions } from './bulk-actions/bulk-actions.ts';
import { createBulkRunner } from './bulk-actions/bulk-runner.ts';
import { createBulkStore } from './bulk-actions/bulk-store.ts';
import type { AgentsConfig } from './config.ts';
import { createAdmit, STREAMS, WAITS } from './contract/quotas.ts';
import { createEventSource } from './events/event-source.ts';
import { createEventStore, type EventStream } from './events/event-store.ts';
import { createEventStreams } from './events/event-streams.ts';
import { createEvents } from './events/events.ts';
import { startFeed } from './events/feed.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { createHeldLeases } from './leases/held-leases.ts';
import { LeaseAcquirer } from './leases/lease-acquirer.ts';
import { createLeaseList } from './leases/lease-list.ts';
import { createLeasing } from './leases/leasing.ts';
import { WorkNotifier } from './leases/work-notifier.ts';
import { startLogFeed } from './logs/log-feed.ts';
import { createLogSource } from './logs/log-source.ts';
import { createLogStore } from './logs/log-store.ts';
import { createLogs } from './logs/logs.ts';
import { createTaskMetrics } from './metrics/task-metrics.ts';
import { migrate } from './migrations/migrate.ts';
import { Clock } from './redis/clock.ts';
import type { FleetContext } from './redis/fleet-context.ts';
import { createKeys } from './redis/keys.ts';
import type { Operations } from './routes.ts';
import { exposeFleet } from './stats/fleet-metrics.ts';
import { createSeries } from './stats/series.ts';
import { createSpend } from './stats/spend.ts';
import { createStats } from './stats/stats.ts';
import { createChanges } from './tasks/changes.ts';
import { createCreation } from './tasks/creation.ts';
import { createTrimEnded } from './tasks/ended-tasks.ts';
import { createFindLastWorker } from './tasks/last-worker.ts';
import { createPurge } from './tasks/purge.ts';
import { createReading } from './tasks/reading.ts';
import { createFindReferenceProblem } from './tasks/retries/references.ts';
import { createRetries } from './tasks/retries/retries.ts';
import { type ChangeTask, createTaskChanger } from './tasks/task-changer.ts';
import { createTaskCreator } from './tasks/task-creator.ts';
import { createTaskReader } from './tasks/task-reader.ts';
import { TaskSearch } from './tasks/task-search.ts';
import { createEndWaits } from './tasks/wait-for-end.ts';
import { startTimers } from './timers/timers.ts';
import { createWaiting } from './workers/waiting.ts';
import { WorkerActivity } from './workers/worker-activity.ts';
import { createWorkers } from './workers/workers.ts';

/** How long a request goes on with steps for all tasks of an agent, before it leaves them to the background job. */
const STEPS_IN_REQUEST_MS = 1_000;

export interface FleetOptions {
  logger: Logger;
  /** Where metrics are registered. */
  registry: Registry;
  /** How often background jobs run, in ms. */
  backgroundEveryMs?: number;
  /** How long a client of an event stream may read nothing, in ms. */
  stalledMs?: number;
}

/** Builds the operations of a fleet, and starts what runs without a request. */
export function startFleet(config: AgentsConfig, { logger, registry, backgroundEveryMs, stalledMs }: FleetOptions) {
  const { url: redisUrl, minReplicas } = config.redis;
  const keys = createKeys(config.redis.prefix);
  const redisStore = openStore(redisUrl, logger, { minReplicas, barrierKey: keys.replicated });
  const { redis, writes } = redisStore;
  createRedisMetrics(registry).measure(redisStore.reader, redisStore.writer);
  const metrics = createTaskMetrics(registry);
  const context: FleetContext = {
    redis,
    writes,
    barrier: writes.barrier,
    keys,
    clock: new Clock(),
    logger,
    metrics,
    retention: config.retention,
  };
  exposeFleet(registry, context, config.agentTypes);

  const notifier = new WorkNotifier();
  const feed = startFeed(context, config.redis, notifier);
  const { quotas } = config;
  const admitWait = createAdmit(quotas.waits, WAITS);
  const endWaits = createEndWaits(feed, admitWait);
  const idempotency = createIdempotency(context);

  const { reader, change } = createTaskStores(context);
  const store = createAgentStore(context);
  const purge = createPurge(context);
  const purgeInRequest = (agentId: string) =>
    purge(agentId, AbortSignal.timeout(STEPS_IN_REQUEST_MS)).catch((error: unknown) =>
      logger.debug({ err: error, agent_id: agentId }, 'left the tasks of an agent to the background job'),
    );
  const agents = {
    ...createAgents(context, store, idempotency, purgeInRequest, quotas.agents),
    ...createPauses(context, store),
  };
  const { requireAgent } = agents;

  const search = new TaskSearch(context, reader);
  const findReferenceProblem = createFindReferenceProblem(reader);
  const findLastWorker = createFindLastWorker(context);
  const createTasks = createTaskCreator(context, findLastWorker);
  const tasks = {
    ...createReading(reader, search, requireAgent, endWaits.wait),
    ...createCreation(createTasks, idempotency, requireAgent, findReferenceProblem, quotas.pendingTasks),
    ...createRetries(reader, createTasks, idempotency, quotas.pendingTasks),
    ...createChanges(change, findReferenceProblem, findLastWorker),
  };
  const bulkStore = createBulkStore(context);
  const bulkRunner = createBulkRunner(context, bulkStore, search, change, createTasks, quotas.pendingTasks);
  const outbox = createAuditOutbox(context, config.redis.prefix);
  let background: ReturnType<typeof startBackground> | undefined;
  const startBulkActions = () => void background?.start();
  const bulkActions = createBulkActions(context, bulkStore, search, idempotency, startBulkActions, quotas.pendingTasks);
  const stats = { ...createStats(context, config.agentTypes), ...createSeries(context), ...createSpend(context) };
  const acquirer = new LeaseAcquirer(context, change);
  const activity = new WorkerActivity(context);
  const held = createHeldLeases(change, activity);
  const leases = {
    ...held,
    ...createLeasing(context, acquirer, notifier, feed.readWakeups, held.release, admitWait, activity),
    ...createLeaseList(context, search),
  };
  const workers = { ...createWorkers(context), ...createWaiting(context) };

  const findEnd = async ({ agentId, taskId }: EventStream) => {
    if (agentId === undefined) return 'open';
    if (taskId !== undefined) return reader.findEnd(agentId, taskId);
    return (await store.exists(agentId)) ? 'open' : 'gone';
  };
  const eventStore = createEventStore(context);
  const streams = createEventStreams(context, createAdmit(quotas.streams, STREAMS), stalledMs);
  const toSource = createEventSource(context, eventStore, feed, findEnd);
  const events = createEvents(eventStore, toSource, streams, requireAgent, tasks.requireTask);
  const logStore = createLogStore(context);
  const logFeed = startLogFeed(context, redisUrl);
  const toLogSource = createLogSource(context, logStore, logFeed, feed, reader.findEnd);
  const logs = createLogs(logStore, toLogSource, streams, tasks.requireTask);

  const operations: Operations = { agents, tasks, leases, events, logs, bulkActions, stats, workers };
  const running: { close(): Promise<void> }[] = [feed, logFeed];
  let isMigrated = false;
  const started = migrate(redisStore, config.redis.prefix, logger).then(() => {
    isMigrated = true;
    background = startBackground(context, redisUrl, { purge, bulkRunner, outbox }, backgroundEveryMs);
    running.unshift(background, startTimers(context, change), activity.start());
    return context.clock.measured;
  });

  return {
    operations,
    barrier: writes.barrier,
    /** Adds to a binding that changes are in the audit trail. */
    audited: createAudited(outbox),
    /** Resolves when the data has the present layout and Redis' time is known; until then no operation may run. */
    started,
    isStarted: () => context.clock.isMeasured,
    async checkReadiness(): Promise<Record<string, string>> {
      return {
        redis: await checkRedis(redisStore, keys.layout),
        ...(!isMigrated && { data: 'migrating' }),
        ...(!context.clock.isMeasured && { clock: 'not measured' }),
      };
    },
    /** Responds to all waiting requests and ends event streams. Call it before the server stops. */
    endOpenRequests() {
      for (const open of [notifier, endWaits, streams]) open.close();
    },
    async close() {
      for (const part of running) await part.close();
      redisStore.close();
    },
  };
}

function createTaskStores(context: FleetContext) {
  const reader = createTaskReader(context);
  const onTooManyEnded = (agentId: string) => void trimEnded(agentId);
  const change: ChangeTask = createTaskChanger(context, reader, onTooManyEnded);
  const trimEnded = createTrimEnded(context, change);
  return { reader, change };
}
