import { useAgentNames, useAgents } from '../tasks/agent-names.ts';
import { EventPanel } from './event-list.tsx';
import { useFleetEvents } from './use-newest-events.ts';

/** What happens in the fleet, as it happens. */
export function FleetEvents() {
  useAgents();
  const agents = useAgentNames([], false);
  return <EventPanel title="Live events" agents={agents} {...useFleetEvents()} />;
}
