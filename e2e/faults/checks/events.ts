import type { Task } from '../../harness/api.ts';
import type { FleetEvent } from '../../harness/event-stream.ts';
import type { Ledger } from '../clients/ledger.ts';

const ENDS = ['completed', 'failed', 'cancelled'];
/** What ends an attempt that has failed. */
const ENDS_OF_ATTEMPT = ['retry', 'failed', 'cancelled'];

/** The states after an event, by the state before; an event that is not listed may not happen in that state. */
const STORY: Record<string, Record<string, string>> = {
  none: { created: 'pending' },
  pending: {
    replaced: 'pending',
    leased: 'running',
    cancelled: 'cancelled',
    failed: 'failed',
    deleted: 'deleted',
  },
  running: {
    progress: 'running',
    cancel_requested: 'running',
    released: 'pending',
    retry: 'pending',
    completed: 'completed',
    failed: 'failed',
    cancelled: 'cancelled',
    deleted: 'deleted',
  },
  ...Object.fromEntries(ENDS.map((end) => [end, { deleted: 'deleted' }])),
};

/** The events are numbered without gaps, and tell for each task a possible story that leads to its state. */
export function checkEvents(ledger: Ledger, events: readonly FleetEvent[], stored: readonly Task[]): void {
  for (const [at, { id }] of events.entries()) {
    if (Number(id) !== at + 1) {
      ledger.violate(`event ${id} is number ${at + 1} of the fleet`);
      break;
    }
  }
  const ofTasks = events.filter(({ type, task_id }) => type.startsWith('task.') && task_id);
  const byTask = Map.groupBy(ofTasks, ({ task_id }) => task_id as string);
  const states = new Map(stored.map(({ id, status }) => [id, status]));
  for (const [id, story] of byTask) {
    const problem = findProblem(story, states.get(id) ?? 'deleted');
    const told = story.map(({ type, data }) => `${nameOf(type)} ${data?.attempt ?? ''}`).join(', ');
    if (problem) ledger.violate(`${id}: ${problem}: ${told}`);
  }
  for (const id of states.keys()) if (!byTask.has(id)) ledger.violate(`${id}: no event tells of this task`);
  checkFailures(ledger, byTask);
}

/** An accepted failure has ended its attempt. If it was lost, the end of the lease did so. */
function checkFailures(ledger: Ledger, byTask: ReadonlyMap<string, readonly FleetEvent[]>): void {
  for (const { taskId, leaseId, attempt, status, answer } of ledger.results) {
    if (status !== 'failed' || answer !== 'accepted') continue;
    const isEnd = ({ type, data }: FleetEvent) => ENDS_OF_ATTEMPT.includes(nameOf(type)) && data?.attempt === attempt;
    const end = byTask.get(taskId)?.find(isEnd);
    const { code = 'nothing' } = (end?.data?.error ?? {}) as { code?: string };
    if (!end || code === 'lease_expired')
      ledger.violate(`${taskId}: the failure of ${leaseId} was accepted, then ${code}`);
  }
}

function findProblem(story: readonly FleetEvent[], final: string): string | undefined {
  let state = 'none';
  let attempt = 0;
  for (const { type, data } of story) {
    const name = nameOf(type);
    const next = STORY[state]?.[name];
    if (next === undefined) return `${name} while ${state}`;
    if (name === 'leased' && Number(data?.attempt) !== attempt + 1) return `attempt ${data?.attempt} after ${attempt}`;
    if (name === 'leased') attempt++;
    // A released attempt does not count.
    if (name === 'released') attempt--;
    state = next;
  }
  return state === final ? undefined : `is ${final}, but its events say ${state}`;
}

function nameOf(type: string): string {
  return type.slice('task.'.length);
}
