import type { Keys } from '../../src/redis/keys.ts';
import { bucketOf } from '../../src/tasks/rules/task-counters.ts';
import type { Records } from './records.ts';
import type { Entry, Snapshot } from './snapshot.ts';

const MINUTE_MS = 60_000;
/** By type of event. */
const COUNTERS: Record<string, string> = {
  'task.created': 'created',
  'task.leased': 'leased',
  'task.completed': 'completed',
  'task.failed': 'failed',
  'task.cancelled': 'cancelled',
  'task.retry': 'retry',
  'task.input_required': 'input',
};

interface Past {
  createdAt: number;
  /** Leases so far. */
  leases: number;
  /** Start of the running attempt. */
  startedAt: number | undefined;
}

/** The counters of the series follow from the events of the fleet, if all of them are kept. */
export function seriesProblems(snapshot: Snapshot, { agents }: Records, keys: Keys): string[] {
  const { series, fleetEvents } = snapshot;
  if ((fleetEvents[0]?.number ?? 1) > 1) return [];
  const expected = expectCounts(fleetEvents, agents, keys);
  return [...new Set([...expected.keys(), ...series.keys()])].flatMap((key) => {
    const counts = expected.get(key) ?? new Map<string, number>();
    const found = series.get(key) ?? {};
    return [...new Set([...counts.keys(), ...Object.keys(found)])]
      .filter((field) => (counts.get(field) ?? 0) !== Number(found[field] ?? 0))
      .map((field) => `${key} counts ${found[field]} for ${field}, not ${counts.get(field)}`);
  });
}

/** By key and field. The series of a deleted agent are deleted. */
function expectCounts(entries: readonly Entry[], agents: Records['agents'], keys: Keys) {
  const expected = new Map<string, Map<string, number>>();
  const tasks = new Map<string, Past>();
  for (const entry of entries) {
    const counter = counterOf(entry, tasks);
    if (counter === undefined) continue;
    const minutes = Math.floor(Number(entry.m) / MINUTE_MS);
    const [agent, type] = [String(entry.a), String(entry.k)];
    for (const scope of [{}, { type }, ...(agents.has(agent) ? [{ agent }] : [])]) {
      const key = keys.series(Math.floor(minutes / 60), scope);
      const counts = expected.get(key) ?? new Map<string, number>();
      const field = `${minutes % 60}:${counter}`;
      expected.set(key, counts.set(field, (counts.get(field) ?? 0) + 1));
    }
  }
  return expected;
}

function counterOf({ t, y, m }: Entry, tasks: Map<string, Past>): string | undefined {
  const at = Number(m);
  const task = tasks.get(String(t)) ?? { createdAt: at, leases: 0, startedAt: undefined };
  tasks.set(String(t), task);
  const counter = COUNTERS[String(y)];
  const { startedAt, createdAt } = task;
  if (y === 'task.leased') {
    task.startedAt = at;
    task.leases += 1;
    return task.leases === 1 ? `leased:${bucketOf(at - createdAt)}` : undefined;
  }
  if (y === 'task.released' || y === 'task.suspended' || y === 'task.parked') task.startedAt = undefined;
  if (counter === undefined || counter === 'created' || counter === 'input') return counter;
  task.startedAt = undefined;
  return startedAt === undefined ? counter : `${counter}:${bucketOf(at - startedAt)}`;
}
