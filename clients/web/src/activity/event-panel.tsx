import type { Event } from '@agent-fleet/sdk';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type AgentName, agentLabel, useAgentNames, useAgents } from '../agents/agent-names.ts';
import { fleet } from '../api/fleet.ts';
import { useLive } from '../api/live.ts';
import { useQuery } from '../api/use-query.ts';
import { Panel } from '../components/panel.tsx';
import { beginning } from '../text/pieces.ts';
import { safeLine } from '../text/safe-text.ts';
import { clockTime } from '../text/times.ts';
import { eventWords } from './event-words.ts';
import { createRecentEvents, type RecentEvents } from './recent-events.ts';
import './activity.css';

const MAX_DETAIL_CHARACTERS = 300;
const MAX_ROWS = 50;

interface EventPanelProps {
  title: string;
  recent: RecentEvents;
  isLoaded: boolean;
  /** Each row names its agent. */
  agents?: ReadonlyMap<string, AgentName | null>;
}

/** The newest events; they stay as they are under the pointer, with the focus inside, and after scrolling. */
function EventPanel({ title, recent, isLoaded, agents }: EventPanelProps) {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => recent.resume, [recent]);
  const shown = recent.events.value.slice(0, MAX_ROWS);
  const waiting = recent.waiting.value;
  const resume = () => {
    const isInside = frame.current?.matches(':hover, :focus-within') || (frame.current?.scrollTop ?? 0) > 0;
    if (!isInside) recent.resume();
  };
  return (
    <Panel
      title={title}
      isFlush
      actions={waiting > 0 && <span class="small muted number">Held · {waiting} newer</span>}
    >
      <section
        ref={frame}
        class="event-frame"
        aria-label="Newest events"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard.
        tabIndex={0}
        onPointerEnter={(event) => event.pointerType === 'mouse' && recent.pause()}
        onPointerLeave={resume}
        onFocusIn={recent.pause}
        onFocusOut={() => setTimeout(resume)}
        onScroll={(event) => (event.currentTarget.scrollTop > 0 ? recent.pause() : resume())}
      >
        {shown.length === 0 && <p class="event-empty muted">{isLoaded ? 'Nothing has happened yet.' : 'Loading…'}</p>}
        <ol>
          {shown.map((event) => (
            <EventRow key={event.id} event={event} agents={agents} />
          ))}
        </ol>
      </section>
    </Panel>
  );
}

function EventRow({ event, agents }: { event: Event } & Pick<EventPanelProps, 'agents'>) {
  const { text, tone, detail } = eventWords(event);
  const { agent_id: agentId, task_id: taskId, type } = event;
  return (
    <li class={agents ? 'event event-of-fleet' : 'event'}>
      <time class="event-time" dateTime={event.at}>
        {clockTime(new Date(event.at))}
      </time>
      <span class="event-what">
        <span class="dot" data-tone={tone} aria-hidden="true" />
        {taskId ? (
          <a href={`/console/agents/${agentId}/tasks/${taskId}`} class="quiet-link">
            {text}
          </a>
        ) : (
          <span class={type === 'agent.status' ? 'muted' : undefined}>{text}</span>
        )}
      </span>
      {agents && (
        <span class="cut event-agent">
          {agentId && (
            <a href={`/console/agents/${agentId}`} class="quiet-link">
              {agentLabel(agentId, agents.get(agentId))}
            </a>
          )}
        </span>
      )}
      <span class="cut event-detail">{detail && safeLine(beginning(detail, MAX_DETAIL_CHARACTERS))}</span>
    </li>
  );
}

/** What happens in the fleet, as it happens. */
export function FleetEvents() {
  useAgents();
  const agents = useAgentNames([], false);
  return <EventPanel title="Live events" agents={agents} {...useFleetEvents()} />;
}

interface AgentEventsProps {
  agentId: string;
  /** They are the last that the page loads. */
  isWanted: boolean;
}

export function AgentEvents({ agentId, isWanted }: AgentEventsProps) {
  return <EventPanel title="Events" {...useAgentEvents(agentId, isWanted)} />;
}

const LOADED = { order: 'desc', limit: 50 } as const;
/** Rows are rendered at most this often, however many events there are. */
const INTERVAL_MS = 250;
/** Of those that come until the rows are rendered, or while those of before are loading. */
const MAX_ARRIVED = 1_000;

interface NewestEvents {
  recent: RecentEvents;
  isLoaded: boolean;
}

/** The newest events of the fleet: those of before the page, then the live ones. */
function useFleetEvents(): NewestEvents {
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
    arrived.current = [...arrived.current, ...events].slice(-MAX_ARRIVED);
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
function useAgentEvents(agent_id: string, isWanted: boolean): NewestEvents {
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
