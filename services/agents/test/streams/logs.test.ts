import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { checkDatabase } from '../database/check-database.ts';
import type { Lease } from '../support/client.ts';
import { openStream } from '../support/event-stream.ts';
import { startTwoReplicas } from '../support/two-replicas.ts';

const MAX_TEXT = 16_384;
const BATCH = 95;

const { one, other, redis, keys } = await startTwoReplicas();

type Service = Pick<typeof one, 'http'>;

async function run(): Promise<Lease> {
  const agentId = await one.createAgent();
  await one.createTask(agentId);
  return (await one.lease(agentId)).body.leases[0];
}

const add = ({ http }: Service, { id, token }: Lease, ...texts: string[]) =>
  http.post(`/leases/${id}/log-entries`).send({ token, entries: texts.map((text) => ({ text })) });

const pathOf = ({ task }: Lease) => `/agents/${task.agent_id}/tasks/${task.id}/log-entries`;

const follow = ({ url }: { url: string }, lease: Lease) => openStream(url + pathOf(lease));

test('a client at another replica gets entries within 200 ms, and the end of the stream', async () => {
  const lease = await run();
  const stream = await follow(other, lease);
  await add(one, lease, 'first').expect(204);
  await until(() => stream.items().length === 1);
  const delays: number[] = [];
  for (let at = 0; at < 20; at++) {
    await add(one, lease, `${at}`).expect(204);
    const start = performance.now();
    await until(() => stream.items().at(-1)?.text === `${at}`, { pollMs: 1 });
    delays.push(performance.now() - start);
  }
  expect(delays.toSorted((a, b) => a - b)[10]).toBeLessThan(200);
  await one.report(lease, { status: 'completed' }).expect(200);
  await until(() => stream.ended);
  expect(stream.items().map(({ text }) => text)).toEqual(['first', ...Array.from({ length: 20 }, (_, at) => `${at}`)]);
});

test('entries that two replicas add at once get ids without gaps, and stay within the bounds', async () => {
  const lease = await run();
  const sizes = [0, 1, 300, MAX_TEXT];
  const batches = Array.from({ length: 120 }, (_, at) =>
    Array(BATCH).fill('é'.repeat((sizes[at % sizes.length] as number) / 2)),
  );
  await Promise.all(batches.map((texts, at) => add(at % 2 ? one : other, lease, ...texts).expect(204)));
  const log = await redis.xrange(keys.logs(lease.task.id), '-', '+');
  expect(log.at(-1)?.[0]).toBe(`${120 * BATCH}-0`);
  expect(await checkDatabase(redis, keys)).toEqual([]);
});
