import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { checkDatabase } from '../database/check-database.ts';
import { startTwoReplicas } from '../support/two-replicas.ts';

const { one, other, redis, keys } = await startTwoReplicas();

interface Leased {
  id: string;
  token: string;
  task: { id: string; message: string };
}

const create = async (agentId: string, fields: object) =>
  (
    await one.http
      .post(`/agents/${agentId}/tasks`)
      .send({ message: 'x', ...fields })
      .expect(201)
  ).body as { id: string };

const statusOf = async (agentId: string, id: string) =>
  ((await other.http.get(`/agents/${agentId}/tasks/${id}`).expect(200)).body as { status: string }).status;

test('each of many dependents runs once, after all that it names, whichever replica ends these', async () => {
  const agentId = await one.createAgent();
  const layers: string[][] = [];
  for (const size of [8, 60, 60, 1]) {
    const before = layers.at(-1) ?? [];
    const tasks = Array.from({ length: size }, (_, at) => ({
      message: JSON.stringify(
        size === 1 ? before.slice(0, 32) : before.filter((_id, of) => (of + at) % 9 < 3).slice(0, 8),
      ),
      after: size === 1 ? before.slice(0, 32) : before.filter((_id, of) => (of + at) % 9 < 3).slice(0, 8),
    }));
    const { body } = await one.http.post(`/agents/${agentId}/task-batches`).send({ tasks }).expect(201);
    layers.push((body as { results: { task: { id: string } }[] }).results.map(({ task }) => task.id));
  }
  expect(await checkDatabase(redis, keys)).toEqual([]);
  const done = new Set<string>();
  const total = layers.flat().length;
  const work = async (at: number) => {
    const replica = at % 2 === 0 ? one : other;
    while (done.size < total) {
      const answer = await replica.lease(agentId, { worker_id: `w${at}`, max_tasks: 3, wait_seconds: 1 });
      for (const { id, token, task } of (answer.body as { leases?: Leased[] }).leases ?? []) {
        expect((JSON.parse(task.message) as string[]).filter((before) => !done.has(before))).toEqual([]);
        expect(done.has(task.id)).toBe(false);
        done.add(task.id);
        await replica.http.put(`/leases/${id}/result`).send({ token, status: 'completed' }).expect(200);
      }
    }
  };
  await Promise.all(Array.from({ length: 6 }, (_, at) => work(at)));
  await until(async () => (await redis.exists(keys.handovers)) === 0);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('a chain fails as a whole across agents, and what runs after a failure runs', async () => {
  const [agentId, otherId] = [await one.createAgent(), await one.createAgent()];
  const first = await create(agentId, {});
  let last = first;
  for (let at = 0; at < 40; at++) last = await create(at % 2 ? agentId : otherId, { after: [last.id] });
  const runs = await create(otherId, { after: [last.id, first.id], after_failure: 'run' });
  await other.http.put(`/agents/${agentId}/tasks/${first.id}/cancellation`).expect(200);
  await until(async () => (await statusOf(agentId, last.id)) === 'failed');
  const { body } = await other.http.get(`/agents/${agentId}/tasks/${last.id}`);
  expect((body as { error: object }).error).toMatchObject({ code: 'dependency_failed', retryable: false });
  await until(async () => (await one.lease(otherId)).status === 201);
  expect(await statusOf(otherId, runs.id)).toBe('running');
  await until(async () => (await redis.exists(keys.handovers)) === 0);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('the deletion of an agent ends what waits for its tasks', async () => {
  const [agentId, otherId] = [await one.createAgent(), await one.createAgent()];
  const first = await create(agentId, {});
  const back = await create(agentId, { after: [(await create(otherId, {})).id] });
  const waits = await create(otherId, { after: [first.id, back.id] });
  expect(await checkDatabase(redis, keys)).toEqual([]);
  await other.http.delete(`/agents/${agentId}`).expect(204);
  await until(async () => (await statusOf(otherId, waits.id)) === 'failed');
  await until(async () => (await redis.exists(keys.handovers)) === 0);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('a replica continues what another one has left before dependents heard of an end', async () => {
  const agentId = await one.createAgent();
  const first = await create(agentId, {});
  const waits = await create(agentId, { after: [first.id] });
  const { body } = await one.lease(agentId);
  const { id, token } = (body as { leases: Leased[] }).leases[0] as Leased;
  await one.http.put(`/leases/${id}/result`).send({ token, status: 'completed' }).expect(200);
  await until(
    async () => (await one.http.get(`/agents/${agentId}/tasks/${waits.id}/waiting`)).body.reason !== 'dependencies',
  );
  expect(await checkDatabase(redis, keys)).toEqual([]);
});
