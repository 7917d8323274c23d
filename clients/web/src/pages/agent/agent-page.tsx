import { FleetError } from '@agent-fleet/sdk';
import { useRoute } from 'preact-iso/router';
import { NotFound } from '../../frame/not-found.tsx';
import { AgentDetails } from './agent-details.tsx';
import { useAgent } from './use-agent.ts';

export function AgentPage() {
  const { agentId = '' } = useRoute().params;
  return <AgentOf key={agentId} agentId={agentId} />;
}

function AgentOf({ agentId }: { agentId: string }) {
  const state = useAgent(agentId);
  const isMissing = state.error instanceof FleetError && state.error.status === 404;
  if (!isMissing && !state.isDeleted) return <AgentDetails agentId={agentId} state={state} />;
  const title = state.isDeleted ? 'Agent deleted' : 'Agent not found';
  return <NotFound title={title} href="/console/agents" label="Go to the agents" />;
}
