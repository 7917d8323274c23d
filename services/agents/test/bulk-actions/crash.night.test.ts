import { test } from '@jest/globals';
import { crashBulkActions } from './crash-bulk-actions.ts';

/** At most 4: each has 24,000 events, and the fleet keeps 100,000. */
const ROUNDS = 3;

test(
  'changes and counts each of many tasks once while replicas and Redis are killed by SIGKILL',
  async () => {
    const { kills } = await crashBulkActions(2_000, ROUNDS);
    console.info(`${kills} kills`);
  },
  ROUNDS * 240_000,
);
