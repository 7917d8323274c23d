/** All but what may be large: input, result, metadata and the schema of the output. Events do not change them. */
const FIELDS =
  'agent_id,message,status,priority,scheduled_at,expires_at,timeout_seconds,max_attempts,retry_policy,attempt,error,' +
  'progress,tags,retry_of,skills,workspace,model,max_cost,continue_of,usage,cost,worker_id,' +
  'cancel_requested_at,next_attempt_at,started_at,completed_at,created_at,updated_at';

export function recordQuery(agentId: string, taskId: string) {
  return { id: taskId, agent_id: agentId, fields: FIELDS };
}

/** What the page requests first. */
export function taskRequests(_query: URLSearchParams, segments: readonly string[]): string[] {
  const [, agentId = '', , taskId = ''] = segments;
  const agent = `/agents/${agentId}`;
  const task = `${agent}/tasks/${taskId}`;
  return [task, `${task}/attempts`, agent];
}
