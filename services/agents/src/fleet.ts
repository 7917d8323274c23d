import { checkRedis } from '@agent-fleet/shared/redis/store';
import { createAgents } from './agents/agents.ts';
import { createAudit } from './audit/audit.ts';
import { startBackground } from './background/background.ts';
import { createBudgets } from './budgets/budgets.ts';
import { createBulkActions } from './bulk-actions/bulk-actions.ts';
import { createConversations } from './conversations/conversations.ts';
import { DefinitionStore } from './definitions/definition-store.ts';
import { createDefinitions } from './definitions/definitions.ts';
import { createEventStreams } from './events/event-streams.ts';
import { createEvents } from './events/events.ts';
import { startFeed } from './events/feed.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { createLeases } from './leases/leases.ts';
import { createLogs } from './logs/logs.ts';
import { migrate } from './migrations/migrate.ts';
import { createContext, type FleetOptions } from './redis/fleet-context.ts';
import type { Operations } from './routes.ts';
import { createFindUnknownSkill } from './skills/unknown-skills.ts';
import { createStats } from './stats/stats.ts';
import { createPurge } from './tasks/store/task-removal.ts';
import { createTasks } from './tasks/tasks.ts';
import { startTimers } from './timers/timers.ts';
import { createWorkers } from './workers/workers.ts';

/** Builds the operations of a fleet, and starts what runs without a request. */
export function startFleet(options: FleetOptions) {
  const context = createContext(options);
  const { config, logger, store, barrier, keys, clock } = context;
  const feed = startFeed(context);
  const streams = createEventStreams(context, options.stalledMs);
  const idempotency = createIdempotency(context);
  const { outbox, audited } = createAudit(context);
  const purge = createPurge(context, () => void tasks.handovers.run());
  const findUnknownSkill = createFindUnknownSkill(context);
  const agents = createAgents(context, { idempotency, purge, findUnknownSkill });
  const definitions = new DefinitionStore(context);
  const tasks = createTasks(context, {
    idempotency,
    feed,
    definitions,
    findUnknownSkill,
    requireAgent: agents.requireAgent,
  });
  const workers = createWorkers(context);
  const logs = createLogs(context, { feed, streams, tasks });
  const onItems = (taskId: string, listener: () => void) => {
    const offs = [logs.logFeed.on('inbox', taskId, listener), feed.on(`task:${taskId}`, listener)];
    return () => {
      for (const off of offs) off();
    };
  };
  const conversations = createConversations(context, { tasks, idempotency, onItems });
  const { readResume, toSuspension } = conversations;
  const { activity } = workers;
  const leases = createLeases(context, { tasks, activity, readResume, toSuspension, definitions });
  let background: ReturnType<typeof startBackground> | undefined;
  const bulkActions = createBulkActions(context, { tasks, idempotency, start: () => void background?.start() });
  const budgets = createBudgets(context);
  const operations: Operations = {
    agents: agents.operations,
    definitions: createDefinitions(context, definitions, findUnknownSkill),
    tasks: tasks.operations,
    leases: leases.operations,
    conversations: conversations.operations,
    events: createEvents(context, { feed, streams, agents, tasks }),
    logs: logs.operations,
    bulkActions: bulkActions.operations,
    budgets: budgets.operations,
    stats: createStats(context),
    workers: workers.operations,
  };

  const running: { close(): Promise<void> }[] = [feed, leases, logs];
  let isMigrated = false;
  const started = migrate(store, config.redis.prefix, logger).then(() => {
    isMigrated = true;
    const { runner: bulkRunner } = bulkActions;
    const { handovers, batches } = tasks;
    background = startBackground(context, {
      purge,
      handovers,
      batches,
      bulkRunner,
      outbox,
      rollBudgets: budgets.roll,
      everyMs: options.backgroundEveryMs,
    });
    running.unshift(background, startTimers(context, tasks.change), workers.activity.start());
    return clock.measured;
  });

  return {
    operations,
    barrier,
    /** Adds to a binding that changes are in the audit trail. */
    audited,
    /** Resolves when the data has the present layout and Redis' time is known; until then no operation may run. */
    started,
    isStarted: () => clock.isMeasured,
    async checkReadiness(): Promise<Record<string, string>> {
      return {
        redis: await checkRedis(store, keys.layout),
        ...(!isMigrated && { data: 'migrating' }),
        ...(!clock.isMeasured && { clock: 'not measured' }),
      };
    },
    /** Responds to all waiting requests and ends event streams. Call it before the server stops. */
    endOpenRequests() {
      leases.endWaits();
      context.waits.close();
      streams.close();
    },
    async close() {
      for (const part of running) await part.close();
      store.close();
    },
  };
}
