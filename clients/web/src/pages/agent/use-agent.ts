import type { Agent } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { fleet } from '../../api/fleet.ts';
import { useLive } from '../../api/live.ts';
import { useQuery } from '../../api/use-query.ts';
import { type Pause, readPause } from '../agents/pauses.ts';

export interface AgentState {
  /** Undefined until both have been read. */
  data: { agent: Agent; pause: Pause | null } | undefined;
  error: unknown;
  /** Whether it was deleted while it was shown. */
  isDeleted: boolean;
  reload: () => void;
}

/** An agent and its pause, kept up to date. */
export function useAgent(agentId: string): AgentState {
  const [isDeleted, setDeleted] = useState(false);
  useLive((events) => {
    if (events.some(({ type, agent_id }) => type === 'agent.deleted' && agent_id === agentId)) setDeleted(true);
  });
  const { data, error, reload } = useQuery(
    isDeleted ? null : agentId,
    async (signal) => {
      const [agent, pause] = await Promise.all([
        fleet.get('/agents/{agent_id}', { params: { path: { agent_id: agentId } }, signal }),
        readPause(agentId, signal),
      ]);
      return { agent: agent.data, pause };
    },
    {
      everyMs: 30_000,
      reloadOn: ({ type, agent_id }) => agent_id === agentId && type.startsWith('agent.') && type !== 'agent.deleted',
    },
  );
  return { data, error, isDeleted, reload };
}
