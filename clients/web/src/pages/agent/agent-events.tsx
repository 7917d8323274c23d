import { EventPanel } from '../overview/event-list.tsx';
import { useAgentEvents } from '../overview/use-newest-events.ts';

interface AgentEventsProps {
  agentId: string;
  /** They are the last that the page loads. */
  isWanted: boolean;
}

export function AgentEvents({ agentId, isWanted }: AgentEventsProps) {
  return <EventPanel title="Events" {...useAgentEvents(agentId, isWanted)} />;
}
