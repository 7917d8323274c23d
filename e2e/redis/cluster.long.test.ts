import { startTestCluster } from '@agent-fleet/scripts/testing/test-cluster';
import { type TestServer, type TestServers, withConnections } from '@agent-fleet/scripts/testing/test-redis';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectQueueRedis, connectReads, connectRedis, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import { processIdOf } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withPages } from '../browser/support/web-root.ts';
import { specifyContract } from '../contract/specify-contract.ts';
import { Api } from '../harness/api.ts';
import { expectError } from '../spec/expectations.ts';

const FAILOVER_TIMEOUT_MS = 30_000;
/** How long reads wait, and how many of them. */
const READ_WAIT_MS = 10_000;
const MAX_READS = 10_000;

const api = new Api();
let cluster: TestServers;
beforeAll(async () => {
  const ownRedis = async () => {
    cluster = await startTestCluster({ masters: 3, replicas: 1, minReplicas: 1 });
    return cluster;
  };
  const replicated = { REDIS_MIN_REPLICAS: '1' };
  const env = { agents: replicated, identity: replicated, gateway: replicated };
  await api.open(await withPages({ ownRedis, env }));
}, 180_000);
afterAll(() => api.close(), 180_000);

specifyContract(api, ['nothing']);

test('a change that no replica has in time is 503, though its master has it', async () => {
  const { id } = await api.createAgent();
  const at = `/agents/${id}`;
  const put = (name: string) => api.call('PUT', at, { body: { name, type: api.types[0] } });
  const replica = await replicaOfFleet();
  process.kill(replica, 'SIGSTOP');
  try {
    expectError(await put('held'), 503, 'unavailable');
    expect((await api.get(at)).json).toMatchObject({ name: 'held' });
  } finally {
    process.kill(replica, 'SIGCONT');
  }
  const isReplicated = async () => (await put('replicated')).status === 200;
  await until(isReplicated, { message: 'changes go on', timeoutMs: FAILOVER_TIMEOUT_MS });
}, 60_000);

test('acknowledged agents survive the loss of their master in a cluster, and changes go on', async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, async () => (await api.createAgent()).id));
  const queue = connectQueueRedis(cluster.url, createLogger('test', 'silent'));
  await waitForRedis(queue, FAILOVER_TIMEOUT_MS);
  const master = await masterOfFleet();
  await master.kill();
  // BullMQ would ask again at once, for ever, what fails other than by a closed connection.
  const queued = queue.get('{default}:test').finally(() => queue.disconnect());
  const readAll = async () => Promise.all(ids.map(async (id) => (await api.call('GET', `/agents/${id}`)).status));
  const areRead = async () => (await readAll()).every((status) => status === 200);
  await until(areRead, { message: 'all agents are served again', timeoutMs: FAILOVER_TIMEOUT_MS });
  expect(await queued).toBe(null);
  // The new master has no replica until then.
  await master.restart();
  const create = async () => (await api.call('POST', '/agents', { body: { name: 'x', type: api.types[0] } })).status;
  expect(await until(create, { holds: (status) => status === 201, timeoutMs: FAILOVER_TIMEOUT_MS })).toBe(201);
}, 120_000);

test('while a whole cluster is unavailable, writes fail at once, and a number of reads wait for a time', async () => {
  const lost = await startTestCluster();
  const reads = connectReads(lost.url);
  const writes = connectRedis(lost.url, createLogger('test', 'silent'));
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => ({ isUnavailable: isRedisUnavailable(error), ms: performance.now() - begin }),
    );
  let begin = 0;
  try {
    for (const client of [reads, writes]) await waitForRedis(client, FAILOVER_TIMEOUT_MS);
    await lost.kill();
    for (const client of [reads, writes]) await until(() => client.status !== 'ready');
    begin = performance.now();
    const held = Array.from({ length: MAX_READS }, () => failure(reads.get('x')));
    const [write, tooMany] = await Promise.all([failure(writes.set('x', '1')), failure(reads.get('x'))]);
    expect([write?.isUnavailable, tooMany?.isUnavailable]).toEqual([true, true]);
    expect(Math.max(write?.ms as number, tooMany?.ms as number)).toBeLessThan(READ_WAIT_MS / 2);
    const failed = await Promise.all(held);
    expect(failed.every((each) => each?.isUnavailable && each.ms > READ_WAIT_MS - 100)).toBe(true);
    expect(Math.max(...failed.map((each) => each?.ms as number))).toBeLessThan(2 * READ_WAIT_MS);
  } finally {
    for (const client of [reads, writes]) client.disconnect();
    await lost.close();
  }
}, 60_000);

/** The process of the replica of the master with the agents. */
async function replicaOfFleet(): Promise<number> {
  const { port } = await masterOfFleet();
  let found = 0;
  await withConnections(cluster.servers, async (connections) => {
    for (const redis of connections) {
      const [role, , masterPort] = (await redis.role()) as unknown[];
      if (role === 'slave' && masterPort === port) found = await processIdOf(redis);
    }
  });
  return found;
}

async function masterOfFleet(): Promise<TestServer> {
  let found: TestServer | undefined;
  await withConnections(cluster.servers, async (connections) => {
    for (const [at, redis] of connections.entries()) {
      const isMaster = (await redis.role())[0] === 'master';
      if (isMaster && (await redis.keys('*{default}*')).length > 0) found = cluster.servers[at];
    }
  });
  return found as TestServer;
}
