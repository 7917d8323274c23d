import type { Event } from '@agent-fleet/sdk';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type AgentName, agentLabel, useAgentNames, useAgents } from '../agents/agent-names.ts';
import { createBatch } from '../api/batch.ts';
import { useLive } from '../api/live.ts';
import { useGet } from '../api/use-get.ts';
import { Panel } from '../components/panel.tsx';
import { useHold } from '../list/use-hold.ts';
import { beginning } from '../text/pieces.ts';
import { Clock } from '../text/relative-time.tsx';
import { safeLine } from '../text/safe-text.ts';
import { clockTime } from '../text/times.ts';
import { eventWords } from './event-words.ts';
import './activity.css';

const MAX_DETAIL_CHARACTERS = 300;
const MAX_ROWS = 50;

interface EventPanelProps {
  title: string;
  /** Newest first. */
  events: readonly Event[];
  isLoaded: boolean;
  /** Each row names its agent. */
  agents?: ReadonlyMap<string, AgentName | null>;
}

/** The newest events; they stay as they are under the pointer, and with the focus inside. */
function EventPanel({ title, events, isLoaded, agents }: EventPanelProps) {
  const { isHeld, handlers } = useHold<HTMLElement>();
  const shown = useRef(events);
  if (!isHeld || shown.current.length === 0) shown.current = events;
  const waiting = newerThan(shown.current[0], events).length;
  return (
    <Panel
      title={title}
      isFlush
      actions={waiting > 0 && <span class="small muted number">Held · {waiting} newer</span>}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard. */}
      <section class="event-frame" aria-label="Newest events" tabIndex={0} {...handlers}>
        {shown.current.length === 0 && (
          <p class="event-empty muted">{isLoaded ? 'Nothing has happened yet.' : 'Loading…'}</p>
        )}
        <ol>
          {shown.current.slice(0, MAX_ROWS).map((event) => (
            <EventRow key={event.id} event={event} agents={agents} />
          ))}
        </ol>
      </section>
    </Panel>
  );
}

function newerThan(last: Event | undefined, events: readonly Event[]): readonly Event[] {
  return events.filter(({ id }) => Number(id) > Number(last?.id ?? 0));
}

function EventRow({ event, agents }: { event: Event } & Pick<EventPanelProps, 'agents'>) {
  const { text, tone, detail } = eventWords(event);
  const { agent_id: agentId, task_id: taskId, type } = event;
  return (
    <li class={agents ? 'event event-of-fleet' : 'event'}>
      <span class="event-time">
        <Clock at={event.at}>{clockTime(new Date(event.at))}</Clock>
      </span>
      <span class="row">
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
      <span class="cut muted event-detail">{detail && safeLine(beginning(detail, MAX_DETAIL_CHARACTERS))}</span>
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
/** Loads again only when events may have been missed. */
const AFTER_GAPS = { reloadOn: () => false };
const MAX_KEPT = 500;
/** Rows are rendered at most this often, however many events there are. */
const INTERVAL_MS = 250;

interface NewestEvents {
  events: readonly Event[];
  isLoaded: boolean;
}

/** The newest events of the fleet: those of before the page, and the live ones. */
function useFleetEvents(): NewestEvents {
  const [live, setLive] = useState<readonly Event[]>([]);
  const { data } = useGet('/events', { query: LOADED }, AFTER_GAPS);
  const [batch] = useState(() =>
    createBatch<Event>(INTERVAL_MS, (added) =>
      setLive((before) => [...added.toReversed(), ...before].slice(0, MAX_KEPT)),
    ),
  );
  useLive((events) => {
    for (const event of events) batch.add(event);
  });
  useEffect(() => batch.drop, []);
  const events = useMemo(() => [...newerThan(data?.[0], live), ...(data ?? [])], [data, live]);
  return { events, isLoaded: data !== undefined };
}

/** The newest events of an agent. They have other ids than in the stream of the fleet, so new ones are read. */
function useAgentEvents(agent_id: string, isWanted: boolean): NewestEvents {
  const { data } = useGet('/agents/{agent_id}/events', isWanted ? { path: { agent_id }, query: LOADED } : null, {
    reloadOn: (event) => event.agent_id === agent_id,
  });
  return { events: data ?? [], isLoaded: data !== undefined };
}
