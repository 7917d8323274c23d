import { TaskError } from '../errors.ts';
import type { AgentTask } from './agent-task.ts';

/**
 * What is left of the limits of a task and of the worker, in USD; undefined without a limit.
 * @param maxCost limit of the worker for one task
 * @param isCounted whether the model calls go through the key proxy
 * @throws TaskError `budget_exceeded` if nothing is left, or the task has a limit that nothing enforces
 */
export function budgetLeft(task: AgentTask, maxCost: number | undefined, isCounted: boolean): number | undefined {
  const limits = [maxCost, task.max_cost?.amount].filter((limit) => limit !== undefined);
  if (limits.length === 0) return undefined;
  if (!isCounted) {
    throw exceeded('The task has a max_cost, and this worker cannot enforce it: its agent has its own credentials');
  }
  const limit = Math.min(...limits);
  const spent = task.cost?.amount ?? 0;
  if (spent >= limit) throw exceeded(`Earlier attempts have cost ${spent} of ${limit} USD`);
  return limit - spent;
}

/** @param message for people */
export function exceeded(message: string): TaskError {
  return new TaskError(message, { code: 'budget_exceeded', retryable: false });
}
