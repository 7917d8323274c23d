import type { Event } from '@agent-fleet/sdk';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { fleet } from '../api/fleet.ts';
import { useLive } from '../api/live.ts';
import { createRecentEvents, type RecentEvents } from '../api/recent-events.ts';
import { useQuery } from '../api/use-query.ts';

const LOADED = { order: 'desc', limit: 50 } as const;
/** Rows are rendered at most this often, however many events there are. */
const INTERVAL_MS = 250;

interface NewestEvents {
  recent: RecentEvents;
  isLoaded: boolean;
}

/** The newest events of the fleet: those of before the page, then the live ones. */
export function useFleetEvents(): NewestEvents {
  const { recent, add } = useRecent();
  const arrived = useRef<Event[]>([]);
  const { data: isLoaded, error } = useQuery(
    'newest events',
    async (signal) => {
      const { data } = await fleet.get('/events', { params: { query: LOADED }, signal });
      add(data.toReversed());
      return true;
    },
    { reloadOn: () => false },
  );
  useLive((events) => {
    for (const event of events) arrived.current.push(event);
  });
  const isSettled = isLoaded || error !== undefined;
  useEffect(() => {
    if (!isSettled) return;
    const timer = setInterval(() => add(arrived.current.splice(0)), INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isSettled]);
  return { recent, isLoaded: isLoaded === true };
}

/** The newest events of an agent. They have other ids than in the stream of the fleet, so new ones are read. */
export function useAgentEvents(agent_id: string, isWanted: boolean): NewestEvents {
  const { recent, add } = useRecent();
  const { data: isLoaded } = useQuery(
    isWanted ? `events of ${agent_id}` : null,
    async (signal) => {
      const params = { path: { agent_id }, query: LOADED };
      const { data } = await fleet.get('/agents/{agent_id}/events', { params, signal });
      add(data.toReversed());
      return true;
    },
    { reloadOn: (event) => event.agent_id === agent_id },
  );
  return { recent, isLoaded: isLoaded === true };
}

/** Each event once: ids increase. */
function useRecent() {
  const recent = useMemo(() => createRecentEvents(), []);
  const last = useRef(0);
  function add(events: readonly Event[]): void {
    const added = events.filter(({ id }) => Number(id) > last.current);
    if (added.length === 0) return;
    last.current = Number(added.at(-1)?.id);
    recent.add(added);
  }
  return { recent, add };
}
