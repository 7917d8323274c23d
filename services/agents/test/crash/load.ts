import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Client } from './client.ts';

const LEASE_SECONDS = 5;
const CREATORS = 8;
const WORKERS = 10;

export interface Task {
  id: string;
  agent_id: string;
  message: string;
  status: string;
  attempt: number;
  max_attempts: number;
}

interface Lease {
  id: string;
  token: string;
  attempt: number;
  task: Task;
}

/** Changes that were acknowledged by 201 or 200. */
interface Acknowledged {
  /** Created tasks by id. */
  created: Map<string, Task>;
  /** Ended tasks by id, as received. */
  ended: Map<string, Task>;
  /** Failed attempts. */
  attempts: { task: Task; number: number; worker: string }[];
}

export const ENDED = new Set(['completed', 'failed', 'cancelled']);

/** Starts clients that create and do tasks until they are stopped. */
export function startLoad(client: Client, agentIds: readonly string[]) {
  const acknowledged: Acknowledged = { created: new Map(), ended: new Map(), attempts: [] };
  const state = { creating: true, working: true, careless: true };
  const creators = Array.from({ length: CREATORS }, (_, at) => create(at));
  const workers = Array.from({ length: WORKERS }, (_, at) => work(`w${at}`));

  async function create(creator: number): Promise<void> {
    for (let number = 0; state.creating; number++) {
      const agentId = agentIds[(creator + number) % agentIds.length] as string;
      const toTask = (at: number) => ({
        message: `${creator}.${number}.${at}`,
        tags: [`creator-${creator}`],
        retry_policy: { delay_seconds: 0 },
      });
      const key = randomUUID();
      if (number % 5 === 4) {
        const body = { tasks: [toTask(0), toTask(1), toTask(2)] };
        const path = `/agents/${agentId}/task-batches`;
        const answer = await client.ask<{ results: { task: Task }[] }>({ method: 'POST', path, body, key });
        for (const { task } of expectStatus(answer, 201).results) acknowledged.created.set(task.id, task);
      } else {
        const path = `/agents/${agentId}/tasks`;
        const answer = await client.ask<Task>({ method: 'POST', path, body: toTask(0), key });
        const task = expectStatus(answer, 201);
        acknowledged.created.set(task.id, task);
        if (number % 7 === 6) await cancel(task);
      }
      await sleep(Math.random() * 50);
    }
  }

  async function cancel({ id, agent_id }: Task): Promise<void> {
    const path = `/agents/${agent_id}/tasks/${id}/cancellation`;
    const answer = await client.ask<Task>({ method: 'PUT', path });
    if (answer.status === 200) acknowledged.ended.set(id, answer.body);
    else if (answer.status !== 202 && answer.status !== 409) expectStatus(answer, 200);
  }

  async function work(worker: string): Promise<void> {
    while (state.working) {
      const body = { worker_id: worker, max_tasks: 3, wait_seconds: 1, lease_seconds: LEASE_SECONDS };
      const answer = await client.try<{ leases: Lease[] }>({ method: 'POST', path: '/leases', body });
      if (answer?.status === 201) await Promise.all(answer.body.leases.map((lease) => doTask(worker, lease)));
      else if (answer?.status !== 204) await sleep(100);
    }
  }

  async function doTask(worker: string, { id, token, task, attempt }: Lease): Promise<void> {
    await sleep(Math.random() * 200);
    const chance = Math.random();
    // The worker crashes.
    if (state.careless && chance < 0.03) return;
    if (chance > 0.8) await client.try({ method: 'PUT', path: `/leases/${id}/heartbeat`, body: { token } });
    const report = chance < 0.15 ? { status: 'failed' } : { status: 'completed', result: { worker, id } };
    const path = `/leases/${id}/result`;
    const answer = await client.ask<Task>({ method: 'PUT', path, body: { token, ...report } });
    if (answer.status === 409) return;
    const reported = expectStatus(answer, 200);
    if (ENDED.has(reported.status)) acknowledged.ended.set(task.id, reported);
    if (report.status === 'failed') acknowledged.attempts.push({ task, number: attempt, worker });
  }

  return {
    acknowledged,
    /** Stops the creation of tasks; workers do not crash any more. */
    async stopCreating() {
      state.creating = false;
      state.careless = false;
      await Promise.all(creators);
    },
    async stopWorking() {
      state.working = false;
      await Promise.all(workers);
    },
  };
}

function expectStatus<Body>({ status, body }: Answer<Body>, expected: number): Body {
  if (status !== expected) throw new Error(`Got ${status} ${JSON.stringify(body)}, not ${expected}`);
  return body;
}
