import { accessRequests } from './access/access-requests.ts';
import { agentRequests } from './agent/agent-requests.ts';
import { agentsRequests } from './agents/agents-query.ts';
import { overviewRequests } from './overview/overview-requests.ts';
import { registryRequests } from './registry/registry-requests.ts';
import { taskRequests } from './task/task-requests.ts';
import { tasksRequests } from './tasks/task-query.ts';
import { workersRequests } from './workers/workers-query.ts';

/** From the query of the address, the segments of its path after `/console`, and the role of the user. */
type FirstRequests = (query: URLSearchParams, segments: readonly string[], role: string) => string[];

/**
 * What each page of the console requests at first, exactly as its own code does, so that the shell can start it. Only
 * what the page cannot be shown without.
 */
export const FIRST_REQUESTS: Record<string, FirstRequests> = {
  '': overviewRequests,
  agents: agentsRequests,
  agent: agentRequests,
  tasks: tasksRequests,
  task: taskRequests,
  workers: workersRequests,
  registry: registryRequests,
  access: accessRequests,
};
