import type { FieldError } from '@agent-fleet/shared/http/errors';
import type { Missing } from '../contract/parameters.ts';
import { isEnded } from './rules/task-rules.ts';
import type { TaskReader } from './store/task-reader.ts';
import type { Task } from './task.ts';

type Reference = 'retry_of' | 'continue_of';

/** Finds why a task cannot retry or continue another one, which must be an ended task of the same agent. */
export type FindReferenceProblem = (
  task: Pick<Task, 'agent_id' | Reference>,
) => Promise<FieldError | Missing | undefined>;

export function createFindReferenceProblem(reader: TaskReader): FindReferenceProblem {
  async function findProblem(agentId: string, path: Reference, taskId: string | null) {
    if (taskId === null) return undefined;
    const found = await reader.read(agentId, taskId);
    if (found.outcome === 'agent missing') return found;
    if (found.outcome === 'missing') return { path, code: 'unknown_task', message: 'is not a task of this agent' };
    if (isEnded(JSON.parse(found.json) as Task)) return undefined;
    return { path, code: 'not_ended', message: 'is a task that has not ended' };
  }

  return async ({ agent_id, retry_of, continue_of }) =>
    (await findProblem(agent_id, 'retry_of', retry_of)) ?? (await findProblem(agent_id, 'continue_of', continue_of));
}
