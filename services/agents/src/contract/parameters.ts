import type { ErrorDoc, HeaderDoc } from '@agent-fleet/shared/contract/operation';
import { queryBoolean } from '@agent-fleet/shared/contract/paging';
import { detailError, type HttpError } from '@agent-fleet/shared/http/errors';
import { z } from 'zod';

export const AGENT_ID_EXAMPLE = '01997e6c-8a54-7c1b-b3a8-3f6d0c9e5a12';
export const TASK_ID_EXAMPLE = '01997e6d-02c1-7f5e-9d3b-6a1f2b7c8d90';

export const agentParams = z.object({
  agent_id: z.string().meta({ description: 'Id of the agent.', example: AGENT_ID_EXAMPLE }),
});
export const taskParams = agentParams.extend({
  task_id: z.string().meta({ description: 'Id of the task.', example: TASK_ID_EXAMPLE }),
});

type AgentParams = z.output<typeof agentParams>;
export type TaskParams = z.output<typeof taskParams>;

export const AGENT_NOT_FOUND: ErrorDoc = {
  status: 404,
  description: 'The agent does not exist.',
  example: { detail: 'Agent not found' },
};
export const TASK_NOT_FOUND: ErrorDoc = {
  status: 404,
  description: 'The task does not exist or belongs to another agent.',
  example: { detail: 'Task not found' },
};

export const LOCATION_HEADER: Record<string, HeaderDoc> = {
  Location: { description: 'Path of the new record.', schema: { type: 'string' }, required: true },
};

/** Of what names skills. */
export const skillsQuery = z.object({
  allow_unknown_skills: queryBoolean('`true`: skills that the registry does not have are not refused.'),
});

/** What a store does not find; a task is also missing when it belongs to another agent. */
export type Missing = { outcome: 'agent missing' } | { outcome: 'missing' };

/** @throws 404 when there is no such agent */
export type RequireAgent = (params: AgentParams) => Promise<void>;

/** @throws 404 when there is no such agent or task */
export type RequireTask = (params: TaskParams) => Promise<void>;

/** Of `Missing`; a task without a reply under an Idempotency-Key is missing, too. */
export function notFound({ outcome }: { outcome: string }): HttpError {
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
