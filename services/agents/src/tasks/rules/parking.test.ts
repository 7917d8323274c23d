import { expect, test } from '@jest/globals';
import { toTask } from '../new-task.ts';
import type { TaskInput } from '../task.ts';
import { isParked } from './parking.ts';
import { lease, nextDeadline, report } from './task-rules.ts';
import { NEW_STATE, type TaskWithState, toMs } from './task-state.ts';

const ID = '01997e7d-51a0-7c46-8b2e-4d9f3a6c1e05';
const HOUR_MS = 3_600_000;
const error = { code: 'rate_limited', message: 'x', retryable: true };
const holder = { workerId: 'w', leaseSeconds: 60, accepts: [], labels: [], token: 't' };

function create(fields: Partial<TaskInput> = {}): TaskWithState {
  const origin = { traceparent: null, created_by: null };
  const task = toTask(ID, ID, { message: 'x', ...fields } as TaskInput, { origin, definition: null });
  return { task, state: NEW_STATE };
}

/** Leases a task and reports that its provider takes no calls for an hour. */
function park(stored: TaskWithState, now: number, more: object = {}): TaskWithState {
  const result = { status: 'failed', result: null, error, used: {}, digest: '', suspension: undefined } as const;
  const apply = ({ task = stored.task, state }: ReturnType<typeof lease>) => ({ task, state }) as TaskWithState;
  const leased = apply(lease(stored, holder, now));
  return apply(report(leased, { ...result, retryAt: now + HOUR_MS, ...more }, now));
}

test('a task is parked 50 times, and then fails as others do', () => {
  let [stored, now] = [create({ max_attempts: 1 }), Date.now()];
  for (let times = 1; times <= 50; times++) {
    stored = park(stored, now);
    expect(stored.state.parked).toMatchObject({ reason: 'provider_quota', times });
    expect(stored.task.next_attempt_at).toBe(new Date(now + HOUR_MS).toISOString());
    now += HOUR_MS;
  }
  expect(isParked(stored)).toBe(true);
  expect(park(stored, now).task).toMatchObject({ status: 'failed', attempt: 1, error });
});

test('a parked task does not expire while it is parked, nor before its worker may go on', () => {
  const now = Date.now();
  const expires_at = new Date(now + 1_000).toISOString();
  const parked = park(create({ expires_at }), now + 5_000);
  const start = now + 5_000 + HOUR_MS;
  expect(nextDeadline(parked, 0, now + 5_000)).toBe(start);
  expect(toMs(parked.task.expires_at)).toBe(start + 60_000);
});

test('a task that has used up its budget is not parked', () => {
  const cost = { amount: 2, currency: 'USD', estimated: false } as const;
  const { task } = park(create({ max_cost: { amount: 2, currency: 'USD' }, max_attempts: 3 }), Date.now(), {
    used: { cost },
  });
  expect(task).toMatchObject({ status: 'failed', cost });
});

test('only the worker that has the session may go on with it for a day', () => {
  const now = Date.now();
  const suspension = { isBound: true, session: '{}', data: '', state: '' };
  const { state } = park(create(), now, { suspension });
  expect(state.reservation).toEqual({ workerId: 'w', until: now + 25 * HOUR_MS });
  expect(state.conversation?.suspended).toEqual({ workerId: 'w', isBound: true, answers: [] });
});
