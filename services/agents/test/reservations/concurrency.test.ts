import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { checkDatabase } from '../database/check-database.ts';
import { startTwoReplicas } from '../support/two-replicas.ts';

const { one, other, redis, keys } = await startTwoReplicas();

interface Leased {
  id: string;
  token: string;
  task: { id: string; concurrency_key: string | null; message: string };
}

test('never more tasks of an agent run than may, one per key and in order, whoever leases and returns them', async () => {
  const agentId = await one.createAgent();
  await one.http.put(`/agents/${agentId}/definition`).send({ max_concurrency: 3 }).expect(201);
  const tasks = Array.from({ length: 60 }, (_, at) => ({
    message: `${at}`,
    concurrency_key: at % 3 === 0 ? `key ${at % 2}` : null,
    requires: [at % 2 === 0 ? 'even' : 'odd'],
    retry_policy: { delay_seconds: 0 },
  }));
  await one.http.post(`/agents/${agentId}/task-batches`).send({ tasks }).expect(201);
  const running = new Map<string, Leased>();
  const begun = new Map<string, string[]>();
  let done = 0;
  let most = 0;
  const work = async (at: number) => {
    const replica = at % 2 === 0 ? one : other;
    while (done < tasks.length) {
      const body = {
        worker_id: `w${at}`,
        accepts: ['definitions'],
        labels: [at % 2 === 0 ? 'even' : 'odd'],
        max_tasks: 2,
        wait_seconds: 1,
      };
      const { leases = [] } = (await replica.lease(agentId, body)).body as { leases?: Leased[] };
      for (const lease of leases) {
        const { concurrency_key: key, id, message } = lease.task;
        expect([...running.values()].filter(({ task }) => key !== null && task.concurrency_key === key)).toEqual([]);
        running.set(id, lease);
        most = Math.max(most, running.size);
        if (key !== null) begun.set(key, [...(begun.get(key) ?? []), message]);
      }
      expect(running.size).toBeLessThanOrEqual(3);
      // Others lease meanwhile.
      await sleep(5);
      for (const { id, token, task } of leases) {
        running.delete(task.id);
        done += 1;
        await replica.http.put(`/leases/${id}/result`).send({ token, status: 'completed' }).expect(200);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, at) => work(at)));
  expect(most).toBe(3);
  for (const messages of begun.values()) expect(messages).toEqual(messages.toSorted((a, b) => Number(a) - Number(b)));
  expect(await checkDatabase(redis, keys)).toEqual([]);
});
