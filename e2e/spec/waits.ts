import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type Api, type Lease, pathOf } from '../harness/api.ts';
import type { Answer } from '../harness/http-client.ts';
import { expectAnswer, expectDetail, expectInvalid, expectNoBody } from './expectations.ts';

/** A wait that ends early ends long before its own time, also on a busy machine. */
const SOON_MS = 20_000;
/** Until a request that waits has surely arrived. */
const ARRIVED_MS = 1_500;

async function timed(request: Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const began = performance.now();
  const answer = await request;
  return { answer, ms: performance.now() - began };
}

/** docs/contract.md "Tasks": `?wait=` of a task, `wait_seconds` of a lease, and the comments of a stream. */
export function specifyWaits(api: Api): void {
  const taskOf = (answer: Answer) => (answer.json as { leases: Lease[] }).leases[0]?.task;

  test.concurrent('a task that is read with wait is answered when it ends', async () => {
    const held = await api.createRunning((await api.createAgent()).id);
    const waiting = timed(api.get(`${pathOf(held.task)}?wait=30`));
    await sleep(ARRIVED_MS);
    // Not an end.
    await api.heartbeat(held, { progress: { percent: 1 } });
    await sleep(ARRIVED_MS);
    const ended = await api.report(held, { result: 1 });
    const { answer, ms } = await waiting;
    expectAnswer(answer, 200, ended.json);
    expect(ms).toBeGreaterThan(2 * ARRIVED_MS);
    expect(ms).toBeLessThan(SOON_MS);
    expectAnswer((await timed(api.get(`${pathOf(held.task)}?wait=30`))).answer, 200, ended.json);
  });

  test.concurrent('when the time is over it is answered as it is; when it is deleted, 404', async () => {
    const task = await api.createTask((await api.createAgent()).id);
    const { answer, ms } = await timed(api.get(`${pathOf(task)}?wait=2`));
    expectAnswer(answer, 200, task);
    expect(ms).toBeGreaterThan(1_900);
    const waiting = timed(api.get(`${pathOf(task)}?wait=30`));
    await sleep(ARRIVED_MS);
    await api.call('DELETE', pathOf(task));
    const gone = await waiting;
    expectDetail(gone.answer, 404, 'Task not found');
    expect(gone.ms).toBeLessThan(SOON_MS);
  });

  test.concurrent('wait that is no whole number from 0 to 30 is 400', async () => {
    const task = await api.createTask((await api.createAgent()).id);
    for (const wait of ['-1', '31', '1.5', '', 'x'])
      expectInvalid(await api.get(`${pathOf(task)}?wait=${wait}`), 'wait');
  });

  test.concurrent('a worker that waits gets a task as soon as it comes, whichever way', async () => {
    const { id } = await api.createAgent();
    const later = () => api.askLease(id, { wait_seconds: 30 });
    for (const give of [
      () => api.createTask(id),
      () => api.call('POST', `/agents/${id}/task-batches`, { body: { tasks: [{ message: 'x' }] } }),
    ]) {
      const waiting = timed(later());
      await sleep(ARRIVED_MS);
      await give();
      const { answer, ms } = await waiting;
      expect([answer.status, taskOf(answer)?.status]).toEqual([201, 'running']);
      expect(ms).toBeLessThan(SOON_MS);
    }
    const held = await api.createRunning(id);
    const waiting = timed(later());
    await sleep(ARRIVED_MS);
    await api.release(held);
    const { answer, ms } = await waiting;
    expect(taskOf(answer)?.id).toBe(held.task.id);
    expect(ms).toBeLessThan(SOON_MS);
  });

  test.concurrent('of workers that wait for a type each gets a task of its own', async () => {
    const [one, other] = await api.createAgents(2, { type: api.types[2] });
    const body = { worker_id: 'e2e', types: [api.types[2], api.types[1]], wait_seconds: 30 };
    const waiting = Array.from({ length: 6 }, () => timed(api.call('POST', '/leases', { body })));
    await sleep(ARRIVED_MS);
    const tasks = await Promise.all(
      Array.from({ length: 6 }, (_, at) => api.createTask(String((at % 2 ? one : other)?.id))),
    );
    const answers = await Promise.all(waiting);
    expect(answers.map(({ answer }) => taskOf(answer)?.id).sort()).toEqual(tasks.map(({ id }) => id).sort());
    for (const { ms } of answers) expect(ms).toBeLessThan(SOON_MS);
  });

  test.concurrent('a worker that waits 30 s without a task gets 204', async () => {
    const { id } = await api.createAgent();
    const [whole, short] = await Promise.all([
      timed(api.askLease(id, { wait_seconds: 30 })),
      timed(api.askLease(id, { wait_seconds: 2 })),
    ]);
    expectNoBody(whole.answer, 204);
    expectNoBody(short.answer, 204);
    expect(whole.ms).toBeGreaterThan(29_900);
    expect(whole.ms).toBeLessThan(30_000 + SOON_MS);
    expect(short.ms).toBeGreaterThan(1_900);
    expect(short.ms).toBeLessThan(SOON_MS);
  });

  test.concurrent('a worker that goes away while it waits takes no task with it', async () => {
    const { id } = await api.createAgent();
    const body = { worker_id: 'gone', wait_seconds: 30 };
    const gone = api.call('POST', `/agents/${id}/leases`, { body, deadlineMs: ARRIVED_MS });
    await expect(gone).rejects.toThrow();
    // Until the service has heard of it, a task may still be on its way to it.
    await sleep(ARRIVED_MS);
    const task = await api.createTask(id);
    const lease = await api.lease(id, { wait_seconds: 20 });
    expect([lease.task.id, lease.attempt, lease.task.worker_id]).toEqual([task.id, 1, 'e2e']);
  });

  test.concurrent('an idle stream sends a comment every 15 s and stays open', async () => {
    const { id } = await api.createAgent();
    const stream = await api.stream(`/agents/${id}/events`);
    try {
      const began = performance.now();
      while (stream.comments === 0 && performance.now() - began < 29_000) await sleep(100);
      expect([stream.comments, stream.ended]).toEqual([1, false]);
      await api.createTask(id);
      expect((await stream.take(1))[0]?.event).toBe('task.created');
    } finally {
      stream.close();
    }
  });
}
