import { accessRequests, toPageQuery } from './access.ts';
import { agentRequests, agentsRequests, workersRequests } from './agents.ts';
import { requestPath } from './path.ts';
import { overviewRequests } from './series.ts';
import { taskRequests, tasksRequests } from './tasks.ts';

/** From the query of the address, the segments of its path after `/console`, and the role of the user. */
type FirstRequests = (query: URLSearchParams, segments: readonly string[], role: string) => string[];

/**
 * What each page of the console requests at first, exactly as its own code does, so that the shell can start it. Only
 * what the page cannot be shown without.
 */
export const FIRST_REQUESTS: Record<string, FirstRequests> = {
  '': overviewRequests,
  inbox: (query) => [requestPath('/input-requests', toPageQuery(query))],
  agents: agentsRequests,
  agent: agentRequests,
  tasks: tasksRequests,
  task: taskRequests,
  workers: workersRequests,
  registry: () => ['/api/registry/status'],
  access: accessRequests,
};
