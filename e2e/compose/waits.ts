import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent, Lease } from '../harness/api.ts';
import { EventStream } from '../harness/event-stream.ts';
import { HttpClient } from '../harness/http-client.ts';
import { WorkerProgram } from '../harness/worker-program.ts';
import { listAgentIds, type Target } from './load.ts';
import { requireAll, type Scene } from './under-load.ts';

const WAKES = 15;
/** A moment, also on a busy machine: who is not woken waits for 20 s. */
const MOMENT_MS = 12_000;
const ARRIVED_MS = 200;
const SILENCE_MS = 15_000;
const OUTAGE_MS = 60_000;
/**
 * To remove and to start everything may take longer than the outage itself: 48 s were seen, and with them the usual two
 * minutes were over.
 */
const LEASE_SECONDS = '600';
const FINISH_TIMEOUT_MS = 120_000;

/** A worker that waits is woken soon, whichever replica it waits at and whichever the task comes to. */
export async function wakeWaitingWorkers(target: Target): Promise<string> {
  return withClient(target, async (http) => {
    const slowest: number[] = [];
    for (let time = 0; time < WAKES; time++) {
      const agent = await createAgent(http, 'gpt');
      const byType = { worker_id: 'e2e', types: [agent.type], wait_seconds: 20 };
      const waiting =
        time % 2
          ? http.call('POST', '/leases', { body: byType })
          : http.call('POST', `/agents/${agent.id}/leases`, { body: { worker_id: 'e2e', wait_seconds: 20 } });
      await sleep(ARRIVED_MS);
      const taskId = await createTask(http, agent.id);
      const createdAt = performance.now();
      const { status, json } = await waiting;
      slowest.push(performance.now() - createdAt);
      const [lease] = status === 201 ? (json as { leases: Lease[] }).leases : [];
      if (lease?.task.id !== taskId) throw new Error(`The worker that waits got ${status}`);
      await remove(http, agent.id);
    }
    const most = Math.max(...slowest);
    if (most > MOMENT_MS) throw new Error(`A worker was woken after ${most.toFixed(0)} ms`);
    return `${WAKES} times, at most ${most.toFixed(0)} ms after the task was created`;
  });
}

/** A poll of 30 s without a task ends with 204 then. */
export async function waitForNothing(target: Target): Promise<string> {
  return withClient(target, async (http) => {
    const { id } = await createAgent(http, 'claude');
    const began = performance.now();
    const { status } = await http.call('POST', `/agents/${id}/leases`, {
      body: { worker_id: 'e2e', wait_seconds: 30 },
    });
    const seconds = (performance.now() - began) / 1_000;
    await remove(http, id);
    if (status !== 204 || seconds < 29.9) throw new Error(`${status} after ${seconds} s`);
    return `204 after ${seconds.toFixed(1)} s`;
  });
}

/** Events come through while a stream is open, comments when nothing happens, and what was missed by Last-Event-ID. */
export async function followEvents(target: Target): Promise<string> {
  return withClient(target, async (http) => {
    // Of another type than that which workers wait for at the same time.
    const { id } = await createAgent(http, 'claude');
    const open = (lastEventId?: string) =>
      EventStream.open(target.baseUrl, `/agents/${id}/events`, {
        'x-api-key': target.apiKey,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      });
    const first = await open();
    const silentFrom = performance.now();
    while (first.comments === 0 && performance.now() - silentFrom < 2 * SILENCE_MS) await sleep(100);
    const silentMs = performance.now() - silentFrom;
    if (first.comments === 0) throw new Error(`No comment within ${silentMs.toFixed(0)} ms`);
    const taskIds = [await createTask(http, id)];
    const createdAt = performance.now();
    const [event] = await first.take(1, MOMENT_MS);
    const eventMs = performance.now() - createdAt;
    if (first.ended) throw new Error('The stream has ended');
    first.close();
    taskIds.push(await createTask(http, id), await createTask(http, id));
    const second = await open(event?.id);
    await second.take(2, MOMENT_MS);
    taskIds.push(await createTask(http, id));
    await second.take(3, MOMENT_MS);
    const seen = [event, ...second.events].map((one) => one?.data.task_id);
    second.close();
    await remove(http, id);
    if (String(seen) !== String(taskIds)) throw new Error(`Events of ${seen}, not of ${taskIds}`);
    return `an event after ${eventMs.toFixed(0)} ms, a comment after ${(silentMs / 1_000).toFixed(1)} s, and nothing missed`;
  });
}

/**
 * The worker program has a task under way, and another one waits, while every container is removed for a minute; the
 * data stay.
 */
export async function outliveAnOutage({ stack, target, scale }: Scene): Promise<string> {
  return withClient(target, async (http) => {
    const { id } = await createAgent(http, 'claude');
    const [running, pending] = [await createTask(http, id), await createTask(http, id)];
    const before = await listAgentIds(target);
    const worker = new WorkerProgram(target, ['--agent', id, '--lease-seconds', LEASE_SECONDS]);
    try {
      await worker.untilBegun(running);
      await stack.down();
      worker.letFinish(pending);
      await sleep(OUTAGE_MS / 2);
      worker.letFinish(running);
      await sleep(OUTAGE_MS / 2);
      await stack.up(scale);
      await stack.waitHealthy('load-balancer', 1);
      requireAll([...before], await listAgentIds(target));
      for (const taskId of [running, pending]) await untilCompleted(http, id, taskId, worker);
      return `${before.size} agents, both tasks completed at their first attempt`;
    } finally {
      await worker.close();
    }
  });
}

async function untilCompleted(http: HttpClient, agentId: string, taskId: string, worker: WorkerProgram): Promise<void> {
  const deadline = Date.now() + FINISH_TIMEOUT_MS;
  for (;;) {
    const { json, text } = await http.call('GET', `/agents/${agentId}/tasks/${taskId}`);
    const { status, attempt } = Object(json) as { status?: string; attempt?: number };
    if (status === 'completed' && attempt === 1) return;
    if (Date.now() > deadline || (attempt ?? 0) > 1) throw new Error(`${text}\nThe worker says: ${worker.printed()}`);
    await sleep(100);
  }
}

async function remove(http: HttpClient, agentId: string): Promise<void> {
  await http.call('DELETE', `/agents/${agentId}`);
}

async function createAgent(http: HttpClient, type: string): Promise<Agent> {
  const { status, json, text } = await http.call('POST', '/agents', { body: { name: 'Waits', type } });
  if (status !== 201) throw new Error(`POST /agents: ${status} ${text}`);
  return json as Agent;
}

async function createTask(http: HttpClient, agentId: string): Promise<string> {
  const { status, json, text } = await http.call('POST', `/agents/${agentId}/tasks`, { body: { message: 'Do it' } });
  if (status !== 201) throw new Error(`POST tasks: ${status} ${text}`);
  return (json as { id: string }).id;
}

async function withClient<T>({ baseUrl, apiKey }: Target, use: (http: HttpClient) => Promise<T>): Promise<T> {
  const http = new HttpClient(baseUrl, { apiKey, token: () => Promise.reject(new Error('There is no token here')) });
  try {
    return await use(http);
  } finally {
    http.close();
  }
}
