import { detailError, type HttpError } from '@agent-fleet/shared/http/errors';
import type { AgentParams, TaskParams } from './parameters.ts';

/** What a store does not find; a task is also missing when it belongs to another agent. */
export type Missing = { outcome: 'agent missing' } | { outcome: 'missing' };

/** @throws 404 when there is no such agent */
export type RequireAgent = (params: AgentParams) => Promise<void>;

/** @throws 404 when there is no such agent or task */
export type RequireTask = (params: TaskParams) => Promise<void>;

export function notFound({ outcome }: Missing): HttpError {
  return outcome === 'agent missing' ? agentNotFound() : taskNotFound();
}

export function agentNotFound(): HttpError {
  return detailError(404, 'Agent not found');
}

export function agentNotPaused(): HttpError {
  return detailError(404, 'Agent is not paused');
}

function taskNotFound(): HttpError {
  return detailError(404, 'Task not found');
}

export function leaseNotFound(): HttpError {
  return detailError(404, 'Lease not found');
}
