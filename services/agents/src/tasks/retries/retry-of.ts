import { type FieldError, type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import type { Missing } from '../../contract/not-found.ts';
import type { Task } from '../task.ts';
import type { TaskReader } from '../task-reader.ts';
import { isEnded } from '../task-rules.ts';

/** Finds why a task cannot be a retry of the one in `retry_of`, which must be an ended task of the same agent. */
export type FindRetryProblem = (task: Pick<Task, 'agent_id' | 'retry_of'>) => Promise<FieldError | Missing | undefined>;

export function createFindRetryProblem(reader: TaskReader): FindRetryProblem {
  return async ({ agent_id, retry_of }) => {
    if (retry_of === null) return undefined;
    const found = await reader.read(agent_id, retry_of);
    if (found.outcome === 'agent missing') return found;
    const path = 'retry_of';
    if (found.outcome === 'missing') return { path, code: 'unknown_task', message: 'is not a task of this agent' };
    if (isEnded(JSON.parse(found.json) as Task)) return undefined;
    return { path, code: 'not_ended', message: 'is a task that has not ended' };
  };
}

export function semanticError(problem: FieldError): HttpError {
  return httpError('semantic_error', `${problem.path}: ${problem.message}`, { fields: [problem] });
}
