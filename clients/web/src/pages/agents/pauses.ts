import type { components } from '@agent-fleet/sdk';
import { fleet } from '../../api/fleet.ts';

export type Pause = components['schemas']['Pause'];

/** Null if the agent is not paused. */
export async function readPause(agent_id: string, signal: AbortSignal): Promise<Pause | null> {
  const params = { path: { agent_id }, query: { optional: true } } as const;
  return (await fleet.get('/agents/{agent_id}/pause', { params, signal })).data;
}

export async function pauseAgent(agentId: string, reason: string): Promise<void> {
  const params = { path: { agent_id: agentId } };
  await fleet.put('/agents/{agent_id}/pause', { params, body: { reason: reason.trim() || null } });
}

export async function resumeAgent(agentId: string): Promise<void> {
  await fleet.delete('/agents/{agent_id}/pause', { params: { path: { agent_id: agentId } } });
}
