import { startTestSentinel } from '@agent-fleet/scripts/testing/test-sentinel';
import { afterAll, beforeAll } from '@jest/globals';
import { FAULTY_FLEET } from './contract/faults.ts';
import { specifyContract } from './contract/specify-contract.ts';
import { Api } from './harness/api.ts';
import { specifyFailover } from './spec/failover.ts';

const api = new Api();
beforeAll(() => api.open({ ...FAULTY_FLEET, ownRedis: startTestSentinel }), 180_000);
afterAll(() => api.close(), 180_000);

specifyContract(api);
specifyFailover(api);
