import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { checkDatabase } from './database/check-database.ts';
import { startService } from './support/start-service.ts';

interface Result {
  status: number;
  error?: object;
  task?: { id: string };
}

const service = await startService({ ownRedis: true });
const { http, redis, keys } = service;

const agent = await service.createAgent();
const tasksPath = `/agents/${agent}/tasks`;

const cancel = (id: string) => http.put(`${tasksPath}/${id}/cancellation`).expect(200);
const remove = (ids: readonly string[]) => Promise.all(ids.map((id) => http.delete(`${tasksPath}/${id}`).expect(204)));
const readTasks = () => redis.zrange(keys.tasks({ agent }), 0, '-1');
const readIds = (results: readonly Result[]) => results.flatMap(({ task }) => task?.id ?? []);

/** Results without what differs between two batches. */
const comparable = (results: readonly Result[]) =>
  results.map(({ task, ...result }) => {
    const differing = { id: '', created_at: '', updated_at: '', expires_at: '' };
    return task ? { ...result, task: { ...task, ...differing } } : result;
  });

/** Sends the request and loses Redis once it has created 50 tasks. Returns those that it created. */
async function interrupt(send: () => PromiseLike<{ status: number }>): Promise<string[]> {
  const before = await readTasks();
  const [{ status }] = await Promise.all([send(), closeConnections()]);
  expect(status).toBe(503);
  await until(async () => (await http.get('/ready')).status === 200);
  return (await readTasks()).slice(before.length);

  async function closeConnections(): Promise<void> {
    while ((await redis.zcard(keys.tasks({ agent }))) < before.length + 50);
    await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  }
}

/** Makes the interrupted request one that began more than 10 s ago. */
async function passInFlightTime(): Promise<void> {
  for (const key of await redis.keys(keys.idempotency('*'))) {
    const value = (await redis.get(key)) as string;
    const [digest, claim] = value.split(' @');
    if (claim) await redis.set(key, `${digest} @${claim.replace(/\b\d{13}\b/, (ms) => `${Number(ms) - 11_000}`)}`);
  }
}

test('a batch that was interrupted continues: what is deleted meanwhile is not created again', async () => {
  const ended = await service.createTask(agent);
  await cancel(ended.id);
  const pending = await service.createTask(agent);
  const retries = [ended, pending].map(({ id }) => ({ message: 'again', retry_of: id }));
  const tags = Array.from({ length: 10 }, (_, at) => `tag ${at}`);
  const tasks = Array.from({ length: 490 }, (_, at) => ({ message: at % 7 === 3 ? '' : `${at}`, tags }));
  const body = { tasks: [...retries, ...tasks, ...retries] };
  const send = (key: string, span = '0000000000000001') =>
    http
      .post(`/agents/${agent}/task-batches`)
      .set({ 'idempotency-key': key, traceparent: `00-0af7651916cd43dd8448eb211c80319c-${span}-01` })
      .send(body);

  const whole: Result[] = (await send('whole').expect(201)).body.results;
  expect(whole.filter(({ status }) => status !== 201).length).toBe(72);
  const first = await interrupt(() => send('interrupted'));
  expect((await send('interrupted').expect(409)).body.error).toBe('idempotent_request_in_progress');
  const deleted = [...first.slice(0, 10), ...first.slice(-10)];
  await remove([...deleted, ended.id]);
  await cancel(pending.id);
  await passInFlightTime();
  const second = await interrupt(() => send('interrupted', '0000000000000002'));
  deleted.push(...second.slice(-10));
  await remove(second.slice(-10));
  await passInFlightTime();

  const completed = await send('interrupted', '0000000000000003').expect(201);
  const { results } = completed.body;
  expect(comparable(results)).toEqual(comparable(whole));
  for (const task of [results.at(-2).task, results[20].task]) {
    expect((await http.get(`${tasksPath}/${task.id}`).expect(200)).body).toEqual(task);
  }
  const present = [pending.id, ...readIds(whole), ...readIds(results).filter((id) => !deleted.includes(id))];
  expect(await readTasks()).toEqual(present);
  const again = await send('interrupted').expect(201);
  expect([again.body, again.headers['idempotency-replayed']]).toEqual([completed.body, 'true']);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});
