import { test } from '@jest/globals';
import { crashBulkActions } from './crash-bulk-actions.ts';

const ROUNDS = Number(process.env.BULK_ROUNDS ?? 5);

test(
  'changes and counts each of many tasks once while replicas and Redis are killed by SIGKILL',
  async () => {
    const { kills } = await crashBulkActions(2_000, ROUNDS);
    console.info(`${kills} kills`);
  },
  ROUNDS * 240_000,
);
