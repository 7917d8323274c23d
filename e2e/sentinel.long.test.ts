import { startTestSentinel } from '@agent-fleet/scripts/testing/test-sentinel';
import { afterAll, beforeAll } from '@jest/globals';
import { openFaultyFleet } from './contract/faulty-fleet.ts';
import { specifyContract } from './contract/specify-contract.ts';
import { Api } from './harness/api.ts';
import { specifyFailover } from './spec/failover.ts';

const api = new Api();
let close: (() => Promise<void>) | undefined;
beforeAll(async () => {
  close = await openFaultyFleet(api, startTestSentinel);
}, 180_000);
afterAll(() => close?.(), 180_000);

specifyContract(api);
specifyFailover(api);
