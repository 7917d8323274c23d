import type { Task } from '@agent-fleet/sdk';
import { isEnded } from '../tasks/task-rows.ts';

/** Whether what is known of a task lacks its input, or the result that came with its end. */
export function isPartMissing(
  status: Task['status'] | undefined,
  { data, error }: { data: Pick<Task, 'status'> | undefined; error: unknown },
): boolean {
  if (status === undefined) return false;
  return data ? isEnded(status) && !isEnded(data.status) : error !== undefined;
}
