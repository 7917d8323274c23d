import { startTestCluster } from '@agent-fleet/scripts/testing/test-cluster';
import { afterAll, beforeAll } from '@jest/globals';
import { FAULTY_FLEET } from './contract/faults.ts';
import { specifyContract } from './contract/specify-contract.ts';
import { Api } from './harness/api.ts';
import { specifyFailover } from './spec/failover.ts';

const api = new Api();
const startRedis = () => startTestCluster({ masters: 3, replicas: 1 });
beforeAll(() => api.open({ ...FAULTY_FLEET, ownRedis: startRedis }), 180_000);
afterAll(() => api.close(), 180_000);

specifyContract(api);
specifyFailover(api);
