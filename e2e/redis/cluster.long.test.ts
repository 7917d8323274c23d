import { startTestCluster } from '@agent-fleet/scripts/testing/test-cluster';
import { type TestServer, type TestServers, withConnections } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { specifyContract } from '../contract/specify-contract.ts';
import { Api } from '../harness/api.ts';

const FAILOVER_TIMEOUT_MS = 30_000;

const api = new Api();
let cluster: TestServers;
beforeAll(async () => {
  const ownRedis = async () => {
    cluster = await startTestCluster({ masters: 3, replicas: 1, minReplicas: 1 });
    return cluster;
  };
  const replicated = { REDIS_MIN_REPLICAS: '1' };
  await api.open({ ownRedis, env: { agents: replicated, identity: replicated, gateway: replicated } });
}, 180_000);
afterAll(() => api.close(), 180_000);

specifyContract(api, ['nothing']);

test('acknowledged agents survive the loss of their master in a cluster, and changes go on', async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, async () => (await api.createAgent()).id));
  const master = await masterOfFleet();
  await master.kill();
  const readAll = async () => Promise.all(ids.map(async (id) => (await api.call('GET', `/agents/${id}`)).status));
  const areRead = async () => (await readAll()).every((status) => status === 200);
  await until(areRead, { message: 'all agents are served again', timeoutMs: FAILOVER_TIMEOUT_MS });
  // The new master has no replica until then.
  await master.restart();
  const create = async () => (await api.call('POST', '/agents', { body: { name: 'x', type: api.types[0] } })).status;
  expect(await until(create, { holds: (status) => status === 201, timeoutMs: FAILOVER_TIMEOUT_MS })).toBe(201);
}, 120_000);

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
