import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { afterAll, beforeAll } from '@jest/globals';
import { FAULTS } from './contract/faults.ts';
import { openFaultyFleet } from './contract/faulty-fleet.ts';
import { specifyContract } from './contract/specify-contract.ts';
import { Api } from './harness/api.ts';

const api = new Api();
let close: (() => Promise<void>) | undefined;

beforeAll(async () => {
  close = await openFaultyFleet(api, startTestRedis);
}, 180_000);
afterAll(() => close?.(), 180_000);

specifyContract(api, FAULTS);
