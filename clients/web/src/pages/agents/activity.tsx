import { signal } from '@preact/signals';
import { fleet } from '../../api/fleet.ts';
import { resetForUser } from '../../api/session.ts';
import { useQuery } from '../../api/use-query.ts';
import { Sparkline } from '../../plots/sparkline.tsx';
import { count } from '../../text/numbers.ts';

const QUERY = { window: 3_600, step: 180 } as const;
const MAX_REQUESTS = 4;
const RELOAD_MS = 30_000;
const MAX_KEPT = 500;

/** What the tasks of an agent did in the last hour. */
interface Activity {
  /** Completed tasks in each step of three minutes, oldest first. */
  completed: readonly number[];
  failed: number;
}

/** Those that have been read, also for other pages of the list. */
const known = signal<ReadonlyMap<string, Activity>>(new Map());
resetForUser(() => {
  known.value = new Map();
});

/** Loads the activity of these agents: each takes a request, and a few run at a time. */
export function useActivities(ids: readonly string[]): void {
  useQuery(ids.length > 0 ? ids.join() : null, (abort) => readAll(ids, abort), { everyMs: RELOAD_MS });
}

/** Undefined while it is not known. What reads it while it renders is brought up to date. */
function activityOf(id: string): Activity | undefined {
  return known.value.get(id);
}

async function readAll(ids: readonly string[], abort: AbortSignal): Promise<void> {
  for (let at = 0; at < ids.length; at += MAX_REQUESTS) {
    const some = ids.slice(at, at + MAX_REQUESTS);
    const read = await Promise.all(some.map(async (id) => [id, await readOne(id, abort)] as const));
    const others = known.peek().size < MAX_KEPT ? known.peek() : [];
    known.value = new Map([...others, ...read]);
  }
}

async function readOne(agent_id: string, abort: AbortSignal): Promise<Activity> {
  const { data } = await fleet.get('/stats/series', { params: { query: { ...QUERY, agent_id } }, signal: abort });
  return {
    completed: data.steps.map(({ completed }) => completed),
    failed: data.steps.reduce((total, { failed }) => total + failed, 0),
  };
}

export function ActivityCell({ id }: { id: string }) {
  const activity = activityOf(id);
  const completed = activity?.completed ?? [];
  const total = completed.reduce((sum, value) => sum + value, 0);
  return (
    <span class="activity">
      <Sparkline values={completed} label="completed in the last hour" step="step of 3 minutes" />
      <span class="small muted number">{activity && count(total)}</span>
      {activity !== undefined && activity.failed > 0 && (
        <span class="small number activity-failed">{count(activity.failed)} failed</span>
      )}
    </span>
  );
}
