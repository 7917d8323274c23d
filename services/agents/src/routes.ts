import { type Binding, bind } from '@agent-fleet/shared/contract';
import type { createAgents } from './agents/agents.ts';
import type { AgentsContract } from './agents/contract.ts';
import { createTask, listTasks, readTask } from './tasks/contract.ts';
import type { createTasks } from './tasks/tasks.ts';

/** The contents page: one line an operation. */
export function createBindings(
  contract: AgentsContract,
  agents: ReturnType<typeof createAgents>,
  tasks: ReturnType<typeof createTasks>,
): Binding[] {
  return [
    bind(contract.list, agents.list),
    bind(contract.create, agents.create),
    bind(contract.read, agents.read),
    bind(contract.replace, agents.replace, agents.requireAgent),
    bind(contract.delete, agents.delete),
    bind(listTasks, tasks.list),
    bind(createTask, tasks.create, agents.requireAgent),
    bind(readTask, tasks.read),
  ];
}
