import type { components, Task } from '@agent-fleet/sdk';

/** What the paths of the API name a task by. */
export interface TaskPath {
  agent_id: string;
  task_id: string;
}

export function pathOf({ agent_id, id }: Pick<Task, 'agent_id' | 'id'>): TaskPath {
  return { agent_id, task_id: id };
}

/** A task that goes on where an ended one stopped: it has its options, but not its message, input and times. */
export function toContinuation(task: Task, message: string): components['schemas']['TaskInput'] {
  const { id, priority, timeout_seconds, max_attempts, retry_policy, tags, metadata } = task;
  const { skills, workspace, model, output_schema, max_cost } = task;
  return {
    message,
    continue_of: id,
    ...{ priority, timeout_seconds, max_attempts, retry_policy, tags, metadata },
    ...{ skills, workspace, model, output_schema, max_cost },
  };
}
