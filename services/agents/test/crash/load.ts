import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isEnded } from '../../src/tasks/rules/task-rules.ts';
import type { Task } from '../../src/tasks/task.ts';
import { PRINCIPAL } from '../support/quotas.ts';
import { type Reply, type Request, send } from '../support/send.ts';

const LEASE_SECONDS = 5;
const CREATORS = 8;
const WORKERS = 10;
const REPLY_WITHIN_MS = 180_000;
const PAUSE_MS = 100;

interface Lease {
  id: string;
  token: string;
  task: Task;
}

/** Changes that were acknowledged by 201 or 200. */
interface Acknowledged {
  /** Created tasks by id. */
  created: Map<string, Task>;
  /** Ended tasks by id, as received. */
  ended: Map<string, Task>;
}

/** A client of several replicas in turn. */
export function createClient(ports: readonly number[]) {
  let turn = 0;

  /** Sends a request once; undefined if its outcome is unknown. */
  async function tryOnce<Body>(request: Request): Promise<Reply<Body> | undefined> {
    const port = ports[turn++ % ports.length] as number;
    const headers = { ...request.headers, ...PRINCIPAL };
    const reply = await send<Body>(port, { ...request, headers }).catch(() => undefined);
    return reply && reply.status < 500 ? reply : undefined;
  }

  /** Retries at another replica until it gets a response. @throws Error without a response within 180 s */
  async function call<Body>(request: Request, expected?: number): Promise<Reply<Body>> {
    for (const until = Date.now() + REPLY_WITHIN_MS; Date.now() < until; await sleep(PAUSE_MS)) {
      const reply = await tryOnce<Body & { error?: string }>(request);
      if (!reply || reply.body.error === 'idempotent_request_in_progress') continue;
      if (!expected || reply.status === expected) return reply;
      throw new Error(`Got ${reply.status} ${JSON.stringify(reply.body)}, not ${expected}`);
    }
    throw new Error(`No reply to ${request.method} ${request.path}`);
  }

  return { tryOnce, call };
}

type Client = ReturnType<typeof createClient>;

const AGENTS = 8;

/** Creates agents of all types. */
export async function createAgents({ call }: Client): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < AGENTS; at++) {
    const body = { name: `agent ${at}`, type: ['claude', 'gpt', 'gemini'][at % 3] };
    const headers = { 'idempotency-key': `agent-${at}` };
    const { id } = (await call<Task>({ method: 'POST', path: '/agents', body, headers }, 201)).body;
    ids.push(id);
    const definition = { requires: ['gpu'], max_concurrency: 6 };
    if (at % 4 === 0) await call({ method: 'PUT', path: `/agents/${id}/definition`, body: definition });
  }
  return ids;
}

/** Starts clients that create and complete tasks until they are stopped. */
export function startLoad({ tryOnce, call }: Client, agentIds: readonly string[]) {
  const acknowledged: Acknowledged = { created: new Map(), ended: new Map() };
  const { created, ended } = acknowledged;
  const state = { creating: true, working: true };
  /** A task of each agent that has ended. */
  const lastEnded = new Map<string, string>();
  const creators = Array.from({ length: CREATORS }, (_, at) => create(at));
  const workers = Array.from({ length: WORKERS }, (_, at) => work(`w${at}`));

  async function create(creator: number): Promise<void> {
    for (let number = 0; state.creating; number++) {
      const agentId = agentIds[(creator + number) % agentIds.length] as string;
      const path = `/agents/${agentId}`;
      // Reserved for the worker that ran it, which may be busy, or leave its tasks.
      const continue_of = number % 3 === 0 ? lastEnded.get(agentId) : undefined;
      const [first, ...others] = [0, 1, 2].map((at) => ({
        message: `${creator}.${number}.${at}`,
        tags: [`creator-${creator}`],
        continue_of,
        concurrency_key: number % 6 === 0 ? `of ${creator}` : null,
        requires: number % 4 === 0 ? ['eu'] : null,
        retry_policy: { delay_seconds: 0 },
      }));
      const post = { method: 'POST', headers: { 'idempotency-key': randomUUID() } };
      if (number % 5 === 4) {
        const batch = { ...post, path: `${path}/task-batches`, body: { tasks: [first, ...others] } };
        const { body } = await call<{ results: { task: Task }[] }>(batch, 201);
        for (const { task } of body.results) created.set(task.id, task);
      } else {
        const { body: task } = await call<Task>({ ...post, path: `${path}/tasks`, body: first }, 201);
        created.set(task.id, task);
        if (number % 7 === 6) await cancel(task);
      }
      await sleep(Math.random() * 50);
    }
  }

  async function cancel({ id, agent_id }: Task): Promise<void> {
    const { status, body } = await call<Task>({ method: 'PUT', path: `/agents/${agent_id}/tasks/${id}/cancellation` });
    if (status === 200) ended.set(id, body);
    else if (status !== 202 && status !== 409) throw new Error(`Got ${status} ${JSON.stringify(body)}`);
  }

  async function work(worker: string): Promise<void> {
    while (state.working) {
      const offers = { accepts: ['definitions'], labels: ['gpu', 'eu'] };
      const body = { worker_id: worker, max_tasks: 3, wait_seconds: 1, lease_seconds: LEASE_SECONDS, ...offers };
      const reply = await tryOnce<{ leases: Lease[] }>({ method: 'POST', path: '/leases', body });
      if (reply?.status === 201) await Promise.all(reply.body.leases.map((lease) => doTask(worker, lease)));
      else if (reply?.status !== 204) await sleep(PAUSE_MS);
    }
  }

  async function doTask(worker: string, { id, token, task }: Lease): Promise<void> {
    await sleep(Math.random() * 200);
    const chance = Math.random();
    // The worker crashes.
    if (state.creating && chance < 0.03) return;
    if (chance > 0.8) await tryOnce({ method: 'PUT', path: `/leases/${id}/heartbeat`, body: { token } });
    if (chance < 0.5) {
      const body = { token, entries: [{ text: 'x' }] };
      await tryOnce({ method: 'POST', path: `/leases/${id}/log-entries`, body });
    }
    const report = chance < 0.15 ? { status: 'failed' } : { status: 'completed', result: { worker, id } };
    const { status, body } = await call<Task>({
      method: 'PUT',
      path: `/leases/${id}/result`,
      body: { token, ...report },
    });
    if (status === 409) return;
    if (status !== 200) throw new Error(`Got ${status} ${JSON.stringify(body)}`);
    if (isEnded(body)) {
      ended.set(task.id, body);
      lastEnded.set(task.agent_id, task.id);
    }
  }

  return {
    acknowledged,
    /** Stops the creation of tasks and the crashes of workers. */
    async stopCreating() {
      state.creating = false;
      await Promise.all(creators);
    },
    async stopWorking() {
      state.working = false;
      await Promise.all(workers);
    },
  };
}
