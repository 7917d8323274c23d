import { seriesRequest } from '../overview/series-window.ts';
import { type TaskQuery, tasksRequests, toTaskQuery } from '../tasks/task-query.ts';

const SHOWN_TASKS = 20;

/** Of the newest tasks of an agent. */
export function agentTasksQuery(agentId: string): TaskQuery {
  return toTaskQuery(agentTasksAddress(agentId));
}

export function agentRequests(query: URLSearchParams, [, agentId = '']: readonly string[]): string[] {
  const [tasks = ''] = tasksRequests(agentTasksAddress(agentId));
  return [`/agents/${agentId}`, `/agents/${agentId}/pause?optional=true`, tasks, seriesRequest(query, agentId)];
}

function agentTasksAddress(agent_id: string): URLSearchParams {
  return new URLSearchParams({ agent_id, limit: String(SHOWN_TASKS) });
}
