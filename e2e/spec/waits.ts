import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { apiKey } from '../harness/accounts.ts';
import { type Api, type Lease, pathOf } from '../harness/api.ts';
import type { FleetEvent } from '../harness/event-stream.ts';
import type { HttpResponse } from '../harness/http-client.ts';
import { expectDetail, expectInvalid, expectNoBody, expectResponse } from './expectations.ts';

/** A wait that ends early ends long before its timeout, even on a busy machine. */
const SOON_MS = 20_000;
/** After this time a waiting request has arrived. */
const ARRIVED_MS = 1_500;

async function timed(request: Promise<HttpResponse>): Promise<{ response: HttpResponse; ms: number }> {
  const began = performance.now();
  const response = await request;
  return { response, ms: performance.now() - began };
}

/** docs/contract.md "Tasks": `?wait=` of a task, `wait_seconds` of a lease, and the comments of a stream. */
export function specifyWaits(api: Api): void {
  const taskOf = (response: HttpResponse) => (response.json as { leases: Lease[] }).leases[0]?.task;

  test.concurrent('GET of a task with wait responds when the task ends', async () => {
    const held = await api.createRunning((await api.createAgent()).id);
    const waiting = timed(api.get(`${pathOf(held.task)}?wait=30`));
    await sleep(ARRIVED_MS);
    // Not the end of the task.
    await api.heartbeat(held, { progress: { percent: 1 } });
    await sleep(ARRIVED_MS);
    const ended = await api.report(held, { result: 1 });
    const { response, ms } = await waiting;
    expectResponse(response, 200, ended.json);
    expect(ms).toBeGreaterThan(2 * ARRIVED_MS);
    expect(ms).toBeLessThan(SOON_MS);
    expectResponse((await timed(api.get(`${pathOf(held.task)}?wait=30`))).response, 200, ended.json);
  });

  test.concurrent('GET of a task with wait returns the running task after the timeout, and 404 when it is deleted', async () => {
    const task = await api.createTask((await api.createAgent()).id);
    const { response, ms } = await timed(api.get(`${pathOf(task)}?wait=2`));
    expectResponse(response, 200, task);
    expect(ms).toBeGreaterThan(1_900);
    const waiting = timed(api.get(`${pathOf(task)}?wait=30`));
    await sleep(ARRIVED_MS);
    await api.call('DELETE', pathOf(task));
    const deleted = await waiting;
    expectDetail(deleted.response, 404, 'Task not found');
    expect(deleted.ms).toBeLessThan(SOON_MS);
  });

  test.concurrent('a wait that is not an integer from 0 to 30 is 400', async () => {
    const task = await api.createTask((await api.createAgent()).id);
    for (const wait of ['-1', '31', '1.5', '', 'x'])
      expectInvalid(await api.get(`${pathOf(task)}?wait=${wait}`), 'wait');
  });

  test.concurrent('a waiting worker gets a task as soon as it is created, also in a batch, or released', async () => {
    const { id } = await api.createAgent();
    const later = () => api.requestLease(id, { wait_seconds: 30 });
    for (const give of [
      () => api.createTask(id),
      () => api.call('POST', `/agents/${id}/task-batches`, { body: { tasks: [{ message: 'x' }] } }),
    ]) {
      const waiting = timed(later());
      await sleep(ARRIVED_MS);
      await give();
      const { response, ms } = await waiting;
      expect([response.status, taskOf(response)?.status]).toEqual([201, 'running']);
      expect(ms).toBeLessThan(SOON_MS);
    }
    const held = await api.createRunning(id);
    const waiting = timed(later());
    await sleep(ARRIVED_MS);
    await api.release(held);
    const { response, ms } = await waiting;
    expect(taskOf(response)?.id).toBe(held.task.id);
    expect(ms).toBeLessThan(SOON_MS);
  });

  test.concurrent('workers that wait for the same type each get a different task', async () => {
    const [one, other] = await api.createAgents(2, { type: api.types[2] });
    const body = { worker_id: 'e2e', types: [api.types[2], api.types[1]], wait_seconds: 30 };
    const waiting = Array.from({ length: 6 }, () => timed(api.call('POST', '/leases', { body })));
    await sleep(ARRIVED_MS);
    const tasks = await Promise.all(
      Array.from({ length: 6 }, (_, at) => api.createTask(String((at % 2 ? one : other)?.id))),
    );
    const responses = await Promise.all(waiting);
    expect(responses.map(({ response }) => taskOf(response)?.id).sort()).toEqual(tasks.map(({ id }) => id).sort());
    for (const { ms } of responses) expect(ms).toBeLessThan(SOON_MS);
  });

  test.concurrent('a worker that waits 30 s without a task gets 204', async () => {
    const { id } = await api.createAgent();
    const [whole, short] = await Promise.all([
      timed(api.requestLease(id, { wait_seconds: 30 })),
      timed(api.requestLease(id, { wait_seconds: 2 })),
    ]);
    expectNoBody(whole.response, 204);
    expectNoBody(short.response, 204);
    expect(whole.ms).toBeGreaterThan(29_900);
    expect(whole.ms).toBeLessThan(30_000 + SOON_MS);
    expect(short.ms).toBeGreaterThan(1_900);
    expect(short.ms).toBeLessThan(SOON_MS);
  });

  test.concurrent('a worker that disconnects while it waits gets no task', async () => {
    const { id } = await api.createAgent();
    const body = { worker_id: 'disconnected', wait_seconds: 30 };
    const disconnected = api.call('POST', `/agents/${id}/leases`, { body, deadlineMs: ARRIVED_MS });
    await expect(disconnected).rejects.toThrow();
    // Until the service notices that the client has disconnected, it may still lease a task to it.
    await sleep(3 * ARRIVED_MS);
    const task = await api.createTask(id);
    const lease = await api.lease(id, { wait_seconds: 20 });
    expect([lease.task.id, lease.attempt, lease.task.worker_id]).toEqual([task.id, 1, 'e2e']);
  });

  test.concurrent('a wait for a task ends when its agent is deleted', async () => {
    const task = await api.createTask((await api.createAgent()).id);
    const waiting = timed(api.get(`${pathOf(task)}?wait=30`));
    await sleep(ARRIVED_MS);
    await api.call('DELETE', `/agents/${task.agent_id}`);
    const { response, ms } = await waiting;
    expectDetail(response, 404, 'Agent not found');
    expect(ms).toBeLessThan(SOON_MS);
  });

  test.concurrent('a comment tells how far a stream is that leaves out events', async () => {
    const [own, other] = [await api.createAgent(), await api.createAgent()];
    const { key } = await api.accounts.createKey({ scopes: ['events:read'], agent_ids: [own.id] });
    const readLast = async () => {
      const [event] = (await api.get(`/events?agent_id=${other.id}&order=desc&limit=1`)).json as FleetEvent[];
      return Number(event?.id);
    };
    const after = await readLast();
    await api.createTask(other.id);
    const last = await readLast();
    const headers = { accept: 'text/event-stream', 'last-event-id': String(after) };
    const options = { headers, readUntil: /:\nid: \d+\n\n/ };
    const responses = await Promise.all([
      api.call('GET', '/events', { ...options, as: apiKey(key) }),
      api.call('GET', `/events?agent_id=${own.id}`, options),
    ]);
    for (const { text } of responses) {
      expect(Number(/:\nid: (\d+)\n\n$/.exec(text)?.[1])).toBeGreaterThanOrEqual(last);
      expect(text).not.toContain('data:');
    }
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
