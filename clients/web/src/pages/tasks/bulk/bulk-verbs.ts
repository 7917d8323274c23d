import type { components } from '@agent-fleet/sdk';
import type { TaskFilter } from '../../../requests/tasks.ts';
import { isEnded, type TaskRow } from '../../../tasks/task-rows.ts';

export type BulkVerb = components['schemas']['BulkAction']['action'];
export type BulkFilter = components['schemas']['TaskFilter'];

interface Words {
  /** The button. */
  label: string;
  /** While it runs, and after it. */
  running: string;
  done: string;
  question: string;
  /** Completes "3 tasks will be …". */
  participle: string;
  /** The button that does nothing. */
  dismiss: string;
  /** What it leaves alone. */
  note: string;
}

export const WORDS: Record<BulkVerb, Words> = {
  cancel: {
    label: 'Cancel',
    running: 'Cancelling',
    done: 'Cancelled',
    question: 'Cancel tasks',
    participle: 'cancelled',
    dismiss: 'Keep them',
    note: 'Workers of running tasks are asked to stop. Ended tasks stay as they are.',
  },
  retry: {
    label: 'Retry',
    running: 'Retrying',
    done: 'Retried',
    question: 'Retry tasks',
    participle: 'retried',
    dismiss: 'Cancel',
    note: 'A new task is created for each ended task. Tasks that have not ended stay as they are.',
  },
  delete: {
    label: 'Delete',
    running: 'Deleting',
    done: 'Deleted',
    question: 'Delete tasks',
    participle: 'deleted',
    dismiss: 'Keep them',
    note: 'Ended tasks are deleted with their attempts, logs and results. This cannot be undone.',
  },
};

export const VERBS = Object.keys(WORDS) as BulkVerb[];

/** Whether a task is one that the action changes. */
export function concerns(verb: BulkVerb, { status }: Pick<TaskRow, 'status'>): boolean {
  return isEnded(status) !== (verb === 'cancel');
}

/** The filter of a bulk action for that of the page; one without conditions is refused. */
export function toBulkFilter(verb: BulkVerb, filter: TaskFilter): BulkFilter {
  const { status, ...others } = filter;
  if (status) return { ...others, status: status.split(',') };
  if (Object.keys(others).length > 0) return others;
  return {
    status: verb === 'cancel' ? ['pending', 'running', 'input_required'] : ['completed', 'failed', 'cancelled'],
  };
}
