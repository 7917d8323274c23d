import { expect, test } from '@jest/globals';
import { toTask } from '../new-task.ts';
import type { TaskInput } from '../task.ts';
import { mayStart, toReservation } from './task-rules.ts';
import { NEW_STATE } from './task-state.ts';

const ID = '01997e7d-51a0-7c46-8b2e-4d9f3a6c1e05';

test('only its worker may start a reserved task, also when another one has read it before it was reserved', () => {
  const task = toTask(ID, ID, { message: 'x' } as TaskInput, {
    origin: { traceparent: null, created_by: null },
    definition: null,
  });
  const created = Date.parse(task.created_at);
  const state = { ...NEW_STATE, reservation: toReservation(task, 'a\ud800') };
  const mayStartAt = (worker: string, ms: number) =>
    mayStart({ task, state } as never, { workerId: worker, accepts: [], labels: [] }, created + ms);
  expect([mayStartAt('a\ufffd', 1), mayStartAt('b', 1), mayStartAt('b', 59_000)]).toEqual([true, false, false]);
  expect(mayStartAt('b', 60_000)).toBe(true);
});
