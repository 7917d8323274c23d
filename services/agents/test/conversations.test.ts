import { afterEach, expect, test } from '@jest/globals';
import { checkDatabase } from './database/check-database.ts';
import { readClock } from './database/snapshot.ts';
import type { Lease } from './support/client.ts';
import { startTwoReplicas } from './support/two-replicas.ts';

const { one, other, redis, keys } = await startTwoReplicas();
afterEach(async () => {
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

const PERSON = { worker_id: 'home', accepts: ['messages', 'input'] };

async function leaseOne(agent: string, fields: object = PERSON): Promise<Lease> {
  const { body } = await one.lease(agent, fields);
  return body.leases?.[0];
}

const ask = ({ id, token }: Lease, key: string, fields: object = {}) =>
  one.http.post(`/leases/${id}/input-requests`).send({ token, key, kind: 'question', title: key, ...fields });

const say = (agent: string, task: string, text: string) =>
  other.http.post(`/agents/${agent}/tasks/${task}/messages`).send({ text });

test('a message queues a task whose start has come', async () => {
  const agent = await one.createAgent();
  const { id } = await one.createTask(agent, { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
  const task = JSON.parse((await redis.get(keys.task(id))) as string);
  const scheduled_at = new Date((await readClock(redis)) - 1_000).toISOString();
  await redis.set(keys.task(id), JSON.stringify({ ...task, scheduled_at }));
  await say(agent, id, 'hello').expect(202);
  expect((await leaseOne(agent)).task.id).toBe(id);
});

test('keeps what is said of a task that waits, is suspended, goes on and is deleted', async () => {
  const agent = await one.createAgent();
  const { id } = await one.createTask(agent);
  const lease = await leaseOne(agent);
  await ask(lease, 'first').expect(201);
  const { body: second } = await ask(lease, 'second', { default: { text: 'yes' } }).expect(201);
  await say(agent, id, 'hello').expect(202);
  expect(await checkDatabase(redis, keys)).toEqual([]);
  const session = { runtime: 'claude', id: 's' };
  await one.http.put(`/leases/${lease.id}/suspension`).send({ token: lease.token, session, state: {} }).expect(200);
  expect(await checkDatabase(redis, keys)).toEqual([]);
  const { body: open } = await other.http.get(`/input-requests?agent_id=${agent}`).expect(200);
  for (const request of open) {
    const path = `/agents/${agent}/tasks/${id}/input-requests/${request.id}/answer`;
    await other.http.put(path).send({ text: 'yes' }).expect(200);
    expect(await checkDatabase(redis, keys)).toEqual([]);
  }
  expect(await leaseOne(agent, { ...PERSON, worker_id: 'away' })).toBeUndefined();
  const resumed = (await leaseOne(agent)) as Lease & { resume: { answers: { id: string }[] } };
  expect(resumed.resume.answers.map((answer) => answer.id)).toEqual(open.map((request: { id: string }) => request.id));
  expect(open[1].id).toBe(second.id);
  expect(await checkDatabase(redis, keys)).toEqual([]);
  await one.http.delete(`/agents/${agent}/tasks/${id}`).expect(204);
});

test('a task that is replaced to continue another one is named by that one alone', async () => {
  const agent = await one.createAgent();
  const ended = [];
  for (const _ of [1, 2]) {
    const { id } = await one.createTask(agent);
    await one.http.put(`/agents/${agent}/tasks/${id}/cancellation`).expect(200);
    ended.push(id);
  }
  const [first, second] = ended;
  const { id } = await one.createTask(agent, { continue_of: first });
  await one.http.put(`/agents/${agent}/tasks/${id}`).send({ message: 'x', continue_of: second }).expect(200);
  const read = async (task: string) => (await other.http.get(`/agents/${agent}/tasks/${task}`)).body.continued_by;
  expect(await Promise.all([read(first), read(second)])).toEqual([[], [id]]);
});

test('the inbox of a task that is deleted meanwhile is 404', async () => {
  const agent = await one.createAgent();
  const { id } = await one.createTask(agent);
  await say(agent, id, 'hello').expect(202);
  const lease = await leaseOne(agent);
  await redis.unlink(keys.messages(id));
  await one.http.get(`/leases/${lease.id}/inbox`).set('x-lease-token', lease.token).expect(404);
  await one.http.delete(`/agents/${agent}/tasks/${id}`).expect(204);
});

test('a task has at most 500 messages in its life', async () => {
  const agent = await one.createAgent();
  const { id } = await one.createTask(agent);
  await say(agent, id, 'hello').expect(202);
  const state = (await redis.get(keys.state(id))) as string;
  await redis.set(keys.state(id), state.replace('"messages":1', '"messages":500'));
  expect((await say(agent, id, 'again').expect(409)).body.error).toBe('too_many_messages');
  await one.http.delete(`/agents/${agent}/tasks/${id}`).expect(204);
});
