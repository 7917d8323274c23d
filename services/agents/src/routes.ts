import { type Binding, bind, type Tag } from '@agent-fleet/shared/contract/operation';
import type { createAgents } from './agents/agents.ts';
import type { AgentsContract } from './agents/contract.ts';
import { listAgentEvents, listFleetEvents, listTaskEvents } from './events/contract.ts';
import type { createEvents } from './events/events.ts';
import type { Idempotent } from './idempotency/idempotency.ts';
import { type createLeaseFromTypes, heartbeat, leaseFromAgent, putResult, releaseLease } from './leases/contract.ts';
import type { createLeases } from './leases/leases.ts';
import { listAttempts } from './tasks/attempts-contract.ts';
import { createTasks } from './tasks/batch-contract.ts';
import { cancelTask } from './tasks/cancellation-contract.ts';
import * as task from './tasks/contract.ts';
import type { createTaskOperations } from './tasks/tasks.ts';

/** The groups of operations in the document. */
export const TAGS: Tag[] = [
  { name: 'Agents', description: 'The agents of the fleet. Each has tasks.' },
  { name: 'Tasks', description: 'Tasks of agents: their creation, state, result and cancellation.' },
  { name: 'Leases', description: 'The worker protocol: workers lease tasks, send heartbeats and report results.' },
  { name: 'Events', description: 'Events of agents and tasks, as JSON or as Server-Sent Events.' },
];

interface Operations {
  agents: ReturnType<typeof createAgents>;
  tasks: ReturnType<typeof createTaskOperations>;
  leases: ReturnType<typeof createLeases>;
  events: ReturnType<typeof createEvents>;
  idempotent: Idempotent;
}

/** The table of contents: one line per operation. */
export function createBindings(
  agent: AgentsContract,
  leaseFromTypes: ReturnType<typeof createLeaseFromTypes>,
  { agents, tasks, leases, events, idempotent }: Operations,
): Binding[] {
  const { requireAgent } = agents;
  const { requireTask } = tasks;
  return [
    bind(agent.list, agents.list),
    bind(agent.create, idempotent<typeof agent.create>(agents.create)),
    bind(agent.read, agents.read),
    bind(agent.replace, agents.replace, requireAgent),
    bind(agent.delete, agents.delete),
    bind(task.searchTasks, tasks.search),
    bind(task.listTasks, tasks.list),
    bind(task.createTask, idempotent<typeof task.createTask>(tasks.create), requireAgent),
    bind(createTasks, idempotent<typeof createTasks>(tasks.createBatch), requireAgent),
    bind(task.readTask, tasks.read),
    bind(task.replaceTask, tasks.replace, requireTask),
    bind(task.deleteTask, tasks.delete),
    bind(cancelTask, tasks.cancel, requireTask),
    bind(listAttempts, tasks.listAttempts),
    bind(leaseFromAgent, leases.leaseFromAgent, requireAgent),
    bind(leaseFromTypes, leases.leaseFromTypes),
    bind(heartbeat, leases.heartbeat),
    bind(putResult, leases.putResult),
    bind(releaseLease, leases.release),
    bind(listFleetEvents, events.ofFleet),
    bind(listAgentEvents, events.ofAgent),
    bind(listTaskEvents, events.ofTask),
  ];
}
