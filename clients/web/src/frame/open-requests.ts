import type { components, Event } from '@agent-fleet/sdk';
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { fleet } from '../api/fleet.ts';
import { PREFIX } from '../api/prefix.ts';
import { useQuery } from '../api/use-query.ts';
import { short } from '../text/pieces.ts';

export type InputRequest = components['schemas']['InputRequest'];

const NEWEST = { params: { query: { limit: 1, order: 'desc' } } } as const;
/** A hidden page has no stream of events, and its title is all that one sees of it. */
const HIDDEN_EVERY_MS = 20_000;
const MAX_TITLE = 120;
const ENDS: ReadonlySet<string> = new Set(['task.completed', 'task.failed', 'task.cancelled', 'task.deleted']);

/** How many input requests are open in the fleet. */
export const openRequests = signal(0);

/** Whether an event may change which requests are open. */
export function changesRequests({ type }: Pick<Event, 'type'>): boolean {
  return type.startsWith('task.input_') || (openRequests.peek() > 0 && (ENDS.has(type) || type === 'agent.deleted'));
}

/** The address at which the inbox shows this request. */
export function requestHref({ agent_id, task_id, id }: Pick<InputRequest, 'agent_id' | 'task_id' | 'id'>): string {
  return `/console/inbox?${new URLSearchParams({ request: `${agent_id}/${task_id}/${id}` })}`;
}

/** Keeps `openRequests`, and notifies of new ones while nobody sees the page, if the person has allowed that. */
export function useOpenRequests(): void {
  const { data, reload } = useQuery(
    'open requests',
    async (signal) => {
      const { data: newest, response } = await fleet.get('/input-requests', { ...NEWEST, signal });
      return { newest: newest[0], total: Number(response.headers.get('x-total-count')) };
    },
    { reloadOn: changesRequests },
  );
  const seenAt = useRef<string>(undefined);
  useEffect(() => {
    if (!data) return;
    openRequests.value = data.total;
    const at = data.newest?.created_at ?? '';
    const isNew = seenAt.current !== undefined && at > seenAt.current;
    if (seenAt.current === undefined || isNew) seenAt.current = at;
    if (isNew && data.newest && document.hidden && mayNotify()) notify(data.newest);
  }, [data]);
  useEffect(() => {
    const timer = setInterval(() => document.hidden && reload(), HIDDEN_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
}

/** Browsers have no notifications on pages that were loaded without TLS. */
function mayNotify(): boolean {
  return globalThis.Notification?.permission === 'granted';
}

/** Of several tabs, the last one replaces what the others show. */
function notify(request: InputRequest): void {
  const { id, title, tool } = request;
  const body = tool ? short(`${tool.name}: ${title}`, MAX_TITLE) : short(title, MAX_TITLE);
  const shown = new Notification('An agent needs your input', { body, tag: id });
  shown.onclick = () => {
    window.focus();
    location.assign(PREFIX + requestHref(request));
  };
}
