import { expect, test } from '@jest/globals';
import { checkDatabase } from '../database/check-database.ts';
import { readEntries } from '../database/snapshot.ts';
import { startTwoReplicas } from '../support/two-replicas.ts';

const { one, other, redis, keys } = await startTwoReplicas();

interface Leased {
  id: string;
  token: string;
  definition: { limits: { max_cost: { amount: number } } } | null;
  task: { id: string };
}

const budgetOf = async (scope: string) => (await one.http.get(`/budgets/${scope}`).expect(200)).body;
const cost = (amount: number) => ({ amount, currency: 'USD' });

async function createTasks(agentId: string, count: number): Promise<void> {
  const tasks = Array.from({ length: count }, (_, at) => ({ message: `${at}` }));
  await one.http.post(`/agents/${agentId}/task-batches`).send({ tasks }).expect(201);
}

test('attempts cost at most the budget and what those that ran spent between two heartbeats', async () => {
  const agentId = await one.createAgent();
  await one.http
    .put(`/agents/${agentId}/definition`)
    .send({ budget: { amount: 3, period: 'total' } })
    .expect(201);
  await createTasks(agentId, 60);
  let acknowledged = 0;
  const work = async (at: number) => {
    const replica = at % 2 === 0 ? one : other;
    for (;;) {
      const { leases = [] } = (await replica.lease(agentId, { worker_id: `w${at}`, accepts: ['definitions'] }))
        .body as {
        leases?: Leased[];
      };
      const [lease] = leases;
      if (!lease) return;
      const limit = lease.definition?.limits.max_cost.amount as number;
      expect(limit).toBeGreaterThan(0);
      expect(limit).toBeLessThanOrEqual(3);
      for (const amount of [0.05, 0.1]) {
        const { body } = await replica.http
          .put(`/leases/${lease.id}/heartbeat`)
          .send({ token: lease.token, cost: cost(amount) })
          .expect(200);
        acknowledged += 0.05;
        if (body.cost_left.amount === 0) break;
      }
      await replica.http
        .put(`/leases/${lease.id}/result`)
        .send({ token: lease.token, status: 'completed' })
        .expect(200);
    }
  };
  await Promise.all(Array.from({ length: 12 }, (_, at) => work(at)));
  expect(acknowledged).toBeGreaterThanOrEqual(3 - 1e-9);
  expect(acknowledged).toBeLessThanOrEqual(3 + 12 * 0.05 + 1e-9);
  expect(await budgetOf(`agent:${agentId}`)).toMatchObject({ spent: Number(acknowledged.toFixed(6)), reached: true });
  const events = await readEntries(redis, keys.events(agentId));
  const told = events.map(({ y }) => `${y}`).filter((type) => type.startsWith('budget.'));
  expect(told).toEqual(['budget.warning', 'budget.reached']);
  const { body: pending } = await one.http.get(`/agents/${agentId}/tasks?status=pending&limit=1`);
  const { body: waiting } = await one.http.get(`/agents/${agentId}/tasks/${pending[0].id}/waiting`);
  expect(waiting.reason).toBe('budget');
  // More may be spent: workers go on at once.
  await one.http
    .put(`/agents/${agentId}/definition`)
    .send({ budget: { amount: 9, period: 'total' } })
    .expect(200);
  const { body } = await other.lease(agentId, { worker_id: 'w0', accepts: ['definitions'] });
  expect(body.leases).toHaveLength(1);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});

test('an attempt that goes on without a budget loses its lease, and its task waits for the next period', async () => {
  const agentId = await one.createAgent();
  await one.http.put('/budgets/fleet').send({ amount: 0.5, period: 'day' }).expect(200);
  await createTasks(agentId, 2);
  const [lease] = (await one.lease(agentId, { worker_id: 'w' })).body.leases as [Leased];
  const beat = (amount: number) =>
    one.http.put(`/leases/${lease.id}/heartbeat`).send({ token: lease.token, cost: cost(amount) });
  expect((await beat(0.4).expect(200)).body.cost_left).toEqual(cost(0.1));
  expect((await beat(0.6).expect(200)).body.cost_left).toEqual(cost(0));
  expect((await beat(0.7).expect(409)).body.error).toBe('lease_lost');
  const budget = await budgetOf('fleet');
  expect(budget).toMatchObject({ spent: 0.7, reached: true });
  const { body: parked } = await one.http.get(`/agents/${agentId}/tasks/${lease.task.id}/waiting`);
  expect(parked).toMatchObject({ reason: 'budget', until: budget.until });
  expect((await one.lease(agentId, { worker_id: 'w' })).status).toBe(204);
  expect((await other.http.post('/leases').send({ worker_id: 'w' })).status).toBe(204);
  await one.http.delete('/budgets/fleet').expect(204);
  expect((await one.lease(agentId, { worker_id: 'w' })).body.leases).toHaveLength(1);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});
