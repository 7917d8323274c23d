import { FleetError } from '@agent-fleet/sdk';
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { fleet } from '../api/fleet.ts';
import { resetForUser } from '../api/session.ts';
import { type Query, useQuery } from '../api/use-query.ts';
import { totalCount } from '../list/list-page.ts';
import { AGENTS_QUERY, OLDER_AGENTS_QUERY } from '../requests/tasks.ts';
import { safeLine } from '../text/safe-text.ts';

export interface AgentName {
  id: string;
  name: string;
  type: string;
}

const MAX_REQUESTS = 4;
/** With more, all are forgotten: those that are shown are read again. */
const MAX_KNOWN = 10_000;
/** Names of agents that have been read; null: the agent is gone. */
const known = signal<ReadonlyMap<string, AgentName | null>>(new Map());
const asked = new Set<string>();
resetForUser(() => {
  known.value = new Map();
  asked.clear();
});

/** The newest 1,000 agents, once all of them are there; the names of the first ones are known before. */
export function useAgents(): Pick<Query<AgentName[]>, 'data' | 'error'> {
  const options = { reloadOn: ({ type }: { type: string }) => NAME_EVENTS.has(type), minIntervalMs: 3_000 };
  const newest = useQuery('agents', (signal) => readAgents(AGENTS_QUERY, signal), options);
  const hasOlder = newest.data !== undefined && newest.data.total > AGENTS_QUERY.limit;
  const older = useQuery(hasOlder ? 'older agents' : null, (signal) => readAgents(OLDER_AGENTS_QUERY, signal), options);
  const isComplete = newest.data !== undefined && (!hasOlder || older.data !== undefined || older.error !== undefined);
  const data = useMemo(
    () => (isComplete ? [...(newest.data?.agents ?? []), ...(older.data?.agents ?? [])] : undefined),
    [isComplete, newest.data, older.data],
  );
  return { data, error: newest.error ?? older.error };
}

async function readAgents(query: typeof AGENTS_QUERY | typeof OLDER_AGENTS_QUERY, signal: AbortSignal) {
  const { data: agents, response } = await fleet.get('/agents', { params: { query }, signal });
  remember(agents.map((agent) => [agent.id, agent]));
  return { agents, total: totalCount(response) };
}

const NAME_EVENTS = new Set<string>(['agent.created', 'agent.replaced', 'agent.deleted']);

/** The names of these agents, as far as they are known; the others are read one by one, a few at a time. */
export function useAgentNames(ids: readonly string[], isReady = true): ReadonlyMap<string, AgentName | null> {
  const missing = isReady ? ids.filter((id) => !known.value.has(id)) : [];
  useEffect(() => readNames(missing), [missing.join()]);
  return known.value;
}

function remember(read: readonly [id: string, agent: AgentName | null][]): void {
  const isFull = known.peek().size >= MAX_KNOWN;
  if (isFull) asked.clear();
  known.value = new Map([...(isFull ? [] : known.peek()), ...read]);
}

function readNames(ids: readonly string[]): void {
  const wanted = [...new Set(ids)].filter((id) => !asked.has(id));
  if (wanted.length === 0) return;
  for (const id of wanted) asked.add(id);
  const waiting = wanted.filter((id) => !known.peek().has(id));
  const readNext = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await readName(id);
  };
  for (let at = 0; at < MAX_REQUESTS; at += 1) void readNext();
}

async function readName(id: string): Promise<void> {
  try {
    const { data } = await fleet.get('/agents/{agent_id}', { params: { path: { agent_id: id } } });
    remember([[id, data]]);
  } catch (error) {
    if (error instanceof FleetError && error.status === 404) remember([[id, null]]);
    else asked.delete(id);
  }
}

/** How many characters of an id tell agents apart: it begins with a time. */
const ID_END = 8;

/** The name of an agent, or the end of its id while the name is not known. */
export function agentLabel(id: string, agent: AgentName | null | undefined): string {
  return agent ? safeLine(agent.name) : `…${id.slice(-ID_END)}`;
}
