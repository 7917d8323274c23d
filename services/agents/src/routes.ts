import { type Binding, bind, type Tag } from '@agent-fleet/shared/contract/operation';
import type { createAgents } from './agents/agents.ts';
import type { AgentsContract } from './agents/contract.ts';
import { pauseAgent, readPause, resumeAgent } from './agents/pause-contract.ts';
import type { createPauses } from './agents/pauses.ts';
import type { createBulkActions } from './bulk-actions/bulk-actions.ts';
import * as bulkAction from './bulk-actions/contract.ts';
import { listAgentEvents, listFleetEvents, listTaskEvents } from './events/contract.ts';
import type { createEvents } from './events/events.ts';
import { type createLeaseFromTypes, heartbeat, leaseFromAgent, putResult, releaseLease } from './leases/contract.ts';
import type { HeldLeases } from './leases/held-leases.ts';
import type { createLeaseList } from './leases/lease-list.ts';
import type { createLeasing } from './leases/leasing.ts';
import { listLeases } from './leases/list-contract.ts';
import { addLogEntries, listLogEntries } from './logs/contract.ts';
import type { createLogs } from './logs/logs.ts';
import type { createSeries } from './stats/series.ts';
import { readSeries } from './stats/series-contract.ts';
import type { createSpend } from './stats/spend.ts';
import { readAgentUsage } from './stats/spend-contract.ts';
import type { createStats } from './stats/stats.ts';
import { readStats } from './stats/stats-contract.ts';
import { listAttempts } from './tasks/attempts-contract.ts';
import { createTasks } from './tasks/batch-contract.ts';
import { cancelTask } from './tasks/cancellation-contract.ts';
import type { createChanges } from './tasks/changes.ts';
import * as task from './tasks/contract.ts';
import type { createCreation } from './tasks/creation.ts';
import type { createReading } from './tasks/reading.ts';
import { retryTask } from './tasks/retries/contract.ts';
import type { createRetries } from './tasks/retries/retries.ts';
import { listWorkers } from './workers/contract.ts';
import type { createWaiting } from './workers/waiting.ts';
import { readWaiting } from './workers/waiting-contract.ts';
import type { createWorkers } from './workers/workers.ts';

/** The groups of operations in the document. */
export const TAGS: Tag[] = [
  { name: 'Agents', description: 'The agents of the fleet. Each has tasks.' },
  { name: 'Tasks', description: 'Tasks of agents: their creation, state, result and cancellation.' },
  { name: 'Leases', description: 'The worker protocol: workers lease tasks, send heartbeats and report results.' },
  { name: 'Bulk actions', description: 'Changes of all tasks that match a filter, which run in the background.' },
  { name: 'Statistics', description: 'Counts of the present, and what happened to tasks over time.' },
  { name: 'Events', description: 'Events of agents and tasks, as JSON or as Server-Sent Events.' },
];

/** The handlers of all operations. */
export interface Operations {
  agents: ReturnType<typeof createAgents> & ReturnType<typeof createPauses>;
  tasks: ReturnType<typeof createReading> &
    ReturnType<typeof createCreation> &
    ReturnType<typeof createRetries> &
    ReturnType<typeof createChanges>;
  leases: ReturnType<typeof createLeasing> & HeldLeases & ReturnType<typeof createLeaseList>;
  events: ReturnType<typeof createEvents>;
  logs: ReturnType<typeof createLogs>;
  bulkActions: ReturnType<typeof createBulkActions>;
  stats: ReturnType<typeof createStats> & ReturnType<typeof createSeries> & ReturnType<typeof createSpend>;
  workers: ReturnType<typeof createWorkers> & ReturnType<typeof createWaiting>;
}

/** The table of contents: one line per operation. */
export function createBindings(
  agent: AgentsContract,
  leaseFromTypes: ReturnType<typeof createLeaseFromTypes>,
  { agents, tasks, leases, events, logs, bulkActions, stats, workers }: Operations,
): Binding[] {
  const { requireAgent } = agents;
  const { requireTask } = tasks;
  return [
    bind(agent.list, agents.list),
    bind(agent.create, agents.create),
    bind(agent.read, agents.read),
    bind(agent.replace, agents.replace, requireAgent),
    bind(agent.delete, agents.delete),
    bind(readPause, agents.readPause),
    bind(pauseAgent, agents.pause, requireAgent),
    bind(resumeAgent, agents.resume),
    bind(task.searchTasks, tasks.search),
    bind(task.listTasks, tasks.list),
    bind(task.createTask, tasks.create, requireAgent),
    bind(createTasks, tasks.createBatch, requireAgent),
    bind(task.readTask, tasks.read),
    bind(task.replaceTask, tasks.replace, requireTask),
    bind(task.deleteTask, tasks.delete),
    bind(cancelTask, tasks.cancel, requireTask),
    bind(retryTask, tasks.retry, requireTask),
    bind(listAttempts, tasks.listAttempts),
    bind(readWaiting, workers.readWaiting),
    bind(leaseFromAgent, leases.leaseFromAgent, requireAgent),
    bind(leaseFromTypes, leases.leaseFromTypes),
    bind(listLeases, leases.listLeases),
    bind(heartbeat, leases.heartbeatLease),
    bind(putResult, leases.putResult),
    bind(releaseLease, leases.releaseLease),
    bind(addLogEntries, logs.add),
    bind(listLogEntries, logs.list),
    bind(bulkAction.createBulkAction, bulkActions.create),
    bind(bulkAction.readBulkAction, bulkActions.read),
    bind(bulkAction.stopBulkAction, bulkActions.stop),
    bind(listWorkers, workers.list),
    bind(readStats, stats.readStats),
    bind(readAgentUsage, stats.readAgentUsage),
    bind(readSeries, stats.readSeries),
    bind(listFleetEvents, events.ofFleet),
    bind(listAgentEvents, events.ofAgent),
    bind(listTaskEvents, events.ofTask),
  ];
}
