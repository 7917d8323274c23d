import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { checkDatabase } from '../database/check-database.ts';
import { startReplicas } from '../support/replicas.ts';
import type { Reply } from '../support/send.ts';
import { createClient } from './load.ts';

const TASKS = 16;
const KILLS = 8;
const LEASE_SECONDS = 5;

interface Request {
  id: string;
  state: string;
  answer: { text: string } | null;
}

interface Lease {
  id: string;
  token: string;
  resume?: { answers: Request[] };
}

const replicas = await startReplicas([0, 0]);
const { redis, ownRedis, keys } = replicas;
const { call } = createClient(replicas.ports);
const isLost = ({ status }: Reply<unknown>) => status === 409 || status === 404;

async function createTask(): Promise<string> {
  const { body: agent } = await call<{ id: string }>(
    { method: 'POST', path: '/agents', body: { name: 'x', type: 'claude' } },
    201,
  );
  const headers = { 'idempotency-key': agent.id };
  const path = `/agents/${agent.id}/tasks`;
  const { body } = await call<{ id: string }>(
    { method: 'POST', path, body: { message: 'x', max_attempts: 10 }, headers },
    201,
  );
  return `${path}/${body.id}`;
}

/** Leases the task and asks once, then waits for the answer in one attempt after the other, and reports it. */
async function work(task: string): Promise<void> {
  let isAsked = false;
  for (let attempt = 0; ; attempt++) {
    const accepts = ['input', 'messages'];
    const body = { worker_id: 'w', lease_seconds: LEASE_SECONDS, accepts };
    const path = task.replace(/tasks.*/, 'leases');
    const { body: reply } = await call<{ leases?: Lease[] }>({ method: 'POST', path, body });
    const lease = reply.leases?.[0];
    if (lease) isAsked ||= await ask(lease);
    const answer = lease && isAsked ? await listen(lease, attempt % 2 === 0) : undefined;
    if (!lease || answer === undefined) {
      await sleep(100);
      continue;
    }
    const result = { token: lease.token, status: 'completed', result: answer };
    const reported = await call({ method: 'PUT', path: `/leases/${lease.id}/result`, body: result });
    if (reported.status === 200) return;
  }
}

/** Returns whether the request is open. */
async function ask({ id, token }: Lease): Promise<boolean> {
  const body = { token, key: 'k', kind: 'question', title: 'What?' };
  return !isLost(await call({ method: 'POST', path: `/leases/${id}/input-requests`, body }));
}

/** Returns the answer; undefined if the lease is lost, or has been suspended. */
async function listen({ id, token, resume }: Lease, suspends: boolean): Promise<string | undefined> {
  const known = resume?.answers[0]?.answer?.text;
  if (known !== undefined) return known;
  if (suspends) {
    const session = { runtime: 'x', id: 's' };
    await call({ method: 'PUT', path: `/leases/${id}/suspension`, body: { token, session } });
    return undefined;
  }
  const headers = { 'x-lease-token': token };
  for (;;) {
    const read = await call<{ items: { n: number; answer: Request['answer'] }[] }>({
      method: 'GET',
      path: `/leases/${id}/inbox`,
      headers,
    });
    if (isLost(read)) return undefined;
    const { items } = read.body;
    expect(items.length).toBeLessThanOrEqual(1);
    if (items[0]) return items[0].answer?.text;
    await sleep(300);
    await call({ method: 'PUT', path: `/leases/${id}/heartbeat`, body: { token } });
  }
}

/** Answers the task's request once it is open; returns what was acknowledged. */
async function answer(task: string, text: string): Promise<string | undefined> {
  for (;;) {
    const { body } = await call<Request[]>({ method: 'GET', path: `${task}/input-requests` }, 200);
    if (body[0]) {
      await sleep(Math.random() * 1_500);
      const path = `${task}/input-requests/${body[0].id}/answer`;
      const { status } = await call({ method: 'PUT', path, body: { text } });
      return status === 200 ? text : undefined;
    }
    await sleep(100);
  }
}

async function killAtRandom(): Promise<void> {
  for (let kills = 0; kills < KILLS; kills++) {
    await sleep(500 + Math.random() * 1_000);
    if (kills % 4 === 3) {
      await ownRedis.kill();
      await ownRedis.restart();
    } else {
      await replicas.kill(kills % 2);
      await replicas.start(kills % 2);
    }
  }
}

test('an answer arrives once, while processes are killed between it and its delivery', async () => {
  const tasks = await Promise.all(Array.from({ length: TASKS }, createTask));
  const killing = killAtRandom();
  const working = Promise.all(tasks.map(work));
  const acknowledged = await Promise.all(
    tasks.map(async (task) => {
      const given = await Promise.all(['one', 'other'].map((text) => answer(task, text)));
      return given.filter((text) => text !== undefined);
    }),
  );
  await Promise.all([killing, working]);
  for (const [at, task] of tasks.entries()) {
    expect(acknowledged[at]).toHaveLength(1);
    const { body } = await call<{ status: string; result: unknown }>({ method: 'GET', path: task }, 200);
    expect(body).toMatchObject({ status: 'completed', result: acknowledged[at]?.[0] });
    const { body: events } = await call<{ type: string }[]>({ method: 'GET', path: `${task}/events` }, 200);
    expect(events.filter(({ type }) => type === 'task.input_answered')).toHaveLength(1);
  }
  expect(await checkDatabase(redis, keys)).toEqual([]);
}, 300_000);
