import type { components, Task } from '@agent-fleet/sdk';
import { isEnded } from '../../tasks/task-rows.ts';

export interface TaskKey {
  agentId: string;
  taskId: string;
}

/** Whether what is known of a task lacks its input, or the result that came with its end. */
export function isPartMissing(
  status: Task['status'] | undefined,
  { data, error }: { data: Pick<Task, 'status'> | undefined; error: unknown },
): boolean {
  if (status === undefined) return false;
  return data ? isEnded(status) && !isEnded(data.status) : error !== undefined;
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

/** Whether it ended with a question to a person. */
export function hasQuestion({ status, error }: Pick<Task, 'status' | 'error'>): boolean {
  return status === 'failed' && error?.code === 'input_required';
}
