import type { Records } from './records.ts';
import type { Entry, Snapshot } from './snapshot.ts';

/** What an event of an agent and its copy for the fleet have in common. */
const FIELDS = ['y', 't', 's', 'm', 'd'];
const KEPT = 1_000;
const FLEET_KEPT = 100_000;
/** A stream is cut in whole nodes. */
const MORE = 1.2;

/** Which status may follow which in the events of a task. */
const NEXT: Record<string, readonly string[]> = {
  '': ['pending'],
  pending: ['pending', 'running', 'cancelled', 'failed', 'deleted'],
  running: ['running', 'input_required', 'pending', 'completed', 'failed', 'cancelled', 'deleted'],
  input_required: ['input_required', 'running', 'pending', 'completed', 'failed', 'cancelled', 'deleted'],
  completed: ['deleted'],
  failed: ['deleted'],
  cancelled: ['deleted'],
};

/** Compares the events of agents and of the fleet with the records and with each other. */
export function eventProblems(snapshot: Snapshot, records: Records): string[] {
  const { agents, events } = snapshot;
  return [
    ...[...events.keys()].filter((id) => !agents.has(id)).map((id) => `agent ${id} has left its events`),
    ...[...records.agents.keys()].flatMap((id) => agentProblems(id, snapshot, records)),
    ...fleetProblems(snapshot, records),
  ];
}

/** The events of one agent are numbered without a gap, and each names the one before of its task. */
function agentProblems(id: string, snapshot: Snapshot, { agents, tasks }: Records): string[] {
  const entries = snapshot.events.get(id) ?? [];
  const { events = 0, record } = agents.get(id) ?? {};
  const problems = gaps(`agent ${id}`, entries, events, KEPT * MORE);
  const first = entries[0]?.number ?? 1;
  const last = new Map<string, { number: number; status: string }>();
  let status: string | undefined;
  for (const { number, t, y, s, p, d, m } of entries) {
    const what = `event ${number} of agent ${id}, ${y}`;
    const task = String(t ?? '');
    if (!(Number(m) > 0 && Number(m) <= snapshot.now)) problems.push(`${what} is of ${m}`);
    if (d !== '') JSON.parse(String(d));
    if (task === '') {
      if (s !== '') status = String(s);
      if (Number(p) !== 0) problems.push(`${what} names the event ${p} of a task`);
      continue;
    }
    const before = last.get(task);
    const isCut = !before && first > 1 && y !== 'task.created';
    if (isCut ? !(Number(p) > 0 && Number(p) < first) : Number(p) !== (before?.number ?? 0)) {
      problems.push(`${what} of ${task} names ${p}, not ${before?.number ?? 0} as the event before`);
    }
    if (!isCut && !NEXT[before?.status ?? '']?.includes(String(s))) problems.push(`${what}: ${before?.status} to ${s}`);
    last.set(task, { number, status: String(s) });
  }
  if (status !== undefined && status !== record?.status)
    problems.push(`agent ${id} is ${record?.status}, not ${status}`);
  for (const [task, { record: found, event, state }] of tasks) {
    if (found.agent_id !== id) continue;
    const { number, status = found.status } = last.get(task) ?? {};
    if (number === undefined ? event >= first : event !== number) {
      problems.push(`task ${task} had its last event ${number}, not ${event}`);
    }
    if (status !== found.status) problems.push(`task ${task} is ${found.status}, its last event ${status}`);
    if (!state && found.status !== 'pending') problems.push(`task ${task} is ${found.status} without any change`);
  }
  for (const [task, { status }] of last) {
    if (tasks.has(task) === (status === 'deleted')) problems.push(`task ${task} is not there, or after its deletion`);
  }
  return problems;
}

/** Events are numbered by one. The last has the number that the owner has. */
function gaps(whose: string, entries: readonly Entry[], last: number, most: number): string[] {
  const problems: string[] = [];
  for (const [at, { number }] of entries.entries()) {
    const before = entries[at - 1];
    if (before && number !== before.number + 1) problems.push(`${whose}: event ${number} follows ${before.number}`);
  }
  if ((entries.at(-1)?.number ?? 0) !== last) problems.push(`${whose}: ${entries.at(-1)?.number}, not ${last} events`);
  if (entries.length > most) problems.push(`${whose} keeps ${entries.length} events`);
  return problems;
}

/** The fleet's events are those of all agents, in the order of each. */
function fleetProblems(snapshot: Snapshot, { agents }: Records): string[] {
  const { fleetEvents, events, event } = snapshot;
  const problems = gaps('the fleet', fleetEvents, event, FLEET_KEPT * MORE);
  const isCut = (fleetEvents[0]?.number ?? 1) > 1;
  const last = new Map<string, Entry>();
  for (const entry of fleetEvents) {
    const id = String(entry.a);
    const { n = '0', y, k }: Partial<Entry> = last.get(id) ?? {};
    if ((last.has(id) || !isCut) && Number(entry.n) !== Number(n) + 1) {
      problems.push(`event ${entry.number} of the fleet: ${entry.n} of agent ${id} follows ${n}`);
    }
    if (y === 'agent.deleted') problems.push(`event ${entry.number} of the fleet: agent ${id} was deleted before`);
    const type = entry.y === 'agent.replaced' ? JSON.parse(String(entry.d)).type : k;
    if (k !== undefined && entry.k !== type) {
      problems.push(`event ${entry.number} of the fleet: agent ${id} is ${entry.k}, not ${type}`);
    }
    last.set(id, entry);
    const first = events.get(id)?.[0]?.number ?? Number.POSITIVE_INFINITY;
    const copy = events.get(id)?.[Number(entry.n) - first];
    if (copy && FIELDS.some((field) => copy[field] !== entry[field])) {
      problems.push(`event ${entry.number} of the fleet is not event ${copy.number} of agent ${id}`);
    }
  }
  for (const [id, { events: count }] of agents) {
    const n = last.get(id)?.n;
    if (n === undefined ? !isCut : Number(n) !== count) problems.push(`the fleet has ${n} of ${count} events of ${id}`);
  }
  for (const [id, { y }] of last) {
    if (!agents.has(id) && y !== 'agent.deleted')
      problems.push(`the last event of agent ${id}, which is not there, is ${y}`);
  }
  return problems;
}
