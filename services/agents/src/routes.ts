import { type Binding, bind, type Tag } from '@agent-fleet/shared/contract/operation';
import type { Agents } from './agents/agents.ts';
import type { AgentsContract } from './agents/contract.ts';
import { pauseAgent, readPause, resumeAgent } from './agents/pause-contract.ts';
import type { createBudgets } from './budgets/budgets.ts';
import * as budget from './budgets/contract.ts';
import type { createBulkActions } from './bulk-actions/bulk-actions.ts';
import * as bulkAction from './bulk-actions/contract.ts';
import type { createConversations } from './conversations/conversations.ts';
import { readInbox } from './conversations/inbox/contract.ts';
import * as message from './conversations/messages/contract.ts';
import * as inputRequest from './conversations/requests/contract.ts';
import { suspendLease } from './conversations/suspensions/contract.ts';
import * as definition from './definitions/contract.ts';
import type { createDefinitions } from './definitions/definitions.ts';
import { listAgentEvents, listFleetEvents, listTaskEvents } from './events/contract.ts';
import type { createEvents } from './events/events.ts';
import { type createLeaseFromTypes, heartbeat, leaseFromAgent, putResult, releaseLease } from './leases/contract.ts';
import type { createLeases } from './leases/leases.ts';
import { listLeases } from './leases/list-contract.ts';
import { addLogEntries, listLogEntries, sendDelta } from './logs/contract.ts';
import type { createLogs } from './logs/logs.ts';
import { readSeries } from './stats/series-contract.ts';
import { readAgentUsage } from './stats/spend-contract.ts';
import { readSpend } from './stats/spend-steps-contract.ts';
import type { createStats } from './stats/stats.ts';
import { readStats } from './stats/stats-contract.ts';
import { listAttempts } from './tasks/attempts-contract.ts';
import { createTasks } from './tasks/batch-contract.ts';
import { cancelTask } from './tasks/cancellation-contract.ts';
import * as task from './tasks/contract.ts';
import { createTaskGraph, readTaskGraph } from './tasks/graphs/contract.ts';
import { retryTask } from './tasks/retry-contract.ts';
import type { Tasks } from './tasks/tasks.ts';
import { listWorkers, readWaiting } from './workers/contract.ts';
import type { createWorkers } from './workers/workers.ts';

/** The groups of operations in the document. */
export const TAGS: Tag[] = [
  { name: 'Agents', description: 'The agents of the fleet. Each has tasks.' },
  { name: 'Definitions', description: 'What an agent is, in versions: instructions, model, tools, limits.' },
  { name: 'Tasks', description: 'Tasks of agents: their creation, state, result and cancellation.' },
  { name: 'Input requests', description: 'What tasks ask people, and the answers.' },
  { name: 'Messages', description: 'What people say to tasks, and interruptions.' },
  { name: 'Leases', description: 'The worker protocol: workers lease tasks, send heartbeats and report results.' },
  { name: 'Bulk actions', description: 'Changes of all tasks that match a filter, which run in the background.' },
  { name: 'Budgets', description: 'What may be spent in a period, by the fleet, a type, a user, a key or an agent.' },
  { name: 'Statistics', description: 'Counts of the present, and what happened to tasks over time.' },
  { name: 'Events', description: 'Events of agents and tasks, as JSON or as Server-Sent Events.' },
];

/** The handlers of all operations. */
export interface Operations {
  agents: Agents['operations'];
  definitions: ReturnType<typeof createDefinitions>;
  tasks: Tasks['operations'];
  leases: ReturnType<typeof createLeases>['operations'];
  conversations: ReturnType<typeof createConversations>['operations'];
  events: ReturnType<typeof createEvents>;
  logs: ReturnType<typeof createLogs>['operations'];
  bulkActions: ReturnType<typeof createBulkActions>['operations'];
  budgets: ReturnType<typeof createBudgets>['operations'];
  stats: ReturnType<typeof createStats>;
  workers: ReturnType<typeof createWorkers>['operations'];
}

/** The table of contents: one line per operation. */
export function createBindings(
  agent: AgentsContract,
  leaseFromTypes: ReturnType<typeof createLeaseFromTypes>,
  { agents, definitions, tasks, leases, conversations, events, logs, bulkActions, budgets, stats, workers }: Operations,
): Binding[] {
  const { requireAgent } = agents;
  const { requireTask } = tasks;
  const { requireLease } = leases;
  return [
    bind(agent.list, agents.list),
    bind(agent.check, agents.check),
    bind(agent.create, agents.create),
    bind(agent.read, agents.read),
    bind(agent.replace, agents.replace, requireAgent),
    bind(agent.delete, agents.delete),
    bind(readPause, agents.readPause),
    bind(pauseAgent, agents.pause, requireAgent),
    bind(resumeAgent, agents.resume),
    bind(definition.readDefinition, definitions.read),
    bind(definition.putDefinition, definitions.put, requireAgent),
    bind(definition.deleteDefinition, definitions.delete),
    bind(definition.listVersions, definitions.listVersions),
    bind(definition.readVersion, definitions.readVersion),
    bind(task.searchTasks, tasks.search),
    bind(task.listTasks, tasks.list),
    bind(task.createTask, tasks.create, requireAgent),
    bind(createTasks, tasks.createBatch, requireAgent),
    bind(createTaskGraph, tasks.createGraph),
    bind(task.readTask, tasks.read),
    bind(task.replaceTask, tasks.replace, requireTask),
    bind(task.deleteTask, tasks.delete),
    bind(cancelTask, tasks.cancel, requireTask),
    bind(retryTask, tasks.retry, requireTask),
    bind(listAttempts, tasks.listAttempts),
    bind(task.readThread, tasks.readThread),
    bind(readTaskGraph, tasks.readGraph),
    bind(inputRequest.listInputRequests, conversations.requests.list),
    bind(inputRequest.listTaskInputRequests, conversations.requests.listOfTask),
    bind(inputRequest.readInputRequest, conversations.requests.read),
    bind(inputRequest.answerInputRequest, conversations.requests.answer, requireTask),
    bind(message.sendMessage, conversations.messages.send, requireTask),
    bind(message.listMessages, conversations.messages.list),
    bind(message.interruptTask, conversations.messages.interrupt),
    bind(inputRequest.createInputRequest, conversations.requests.create, requireLease),
    bind(inputRequest.withdrawInputRequest, conversations.requests.withdraw),
    bind(message.reportMessage, conversations.messages.report, requireLease),
    bind(message.confirmInterruption, conversations.messages.confirm, requireLease),
    bind(readInbox, conversations.readInbox),
    bind(suspendLease, conversations.suspend, requireLease),
    bind(sendDelta, logs.sendDelta, requireLease),
    bind(readWaiting, workers.readWaiting),
    bind(leaseFromAgent, leases.leaseFromAgent, requireAgent),
    bind(leaseFromTypes, leases.leaseFromTypes),
    bind(listLeases, leases.listLeases),
    bind(heartbeat, leases.heartbeatLease, requireLease),
    bind(putResult, leases.putResult, requireLease),
    bind(releaseLease, leases.releaseLease),
    bind(addLogEntries, logs.add, requireLease),
    bind(listLogEntries, logs.list),
    bind(bulkAction.createBulkAction, bulkActions.create),
    bind(bulkAction.readBulkAction, bulkActions.read),
    bind(bulkAction.stopBulkAction, bulkActions.stop),
    bind(budget.listBudgets, budgets.list),
    bind(budget.readBudget, budgets.read),
    bind(budget.putBudget, budgets.put),
    bind(budget.deleteBudget, budgets.delete),
    bind(listWorkers, workers.list),
    bind(readStats, stats.readStats),
    bind(readAgentUsage, stats.readAgentUsage),
    bind(readSeries, stats.readSeries),
    bind(readSpend, stats.readSpend),
    bind(listFleetEvents, events.ofFleet),
    bind(listAgentEvents, events.ofAgent),
    bind(listTaskEvents, events.ofTask),
  ];
}
