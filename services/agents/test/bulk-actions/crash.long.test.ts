import { expect, test } from '@jest/globals';
import { crashBulkActions } from './crash-bulk-actions.ts';

test('changes and counts each task once while replicas and Redis are killed by SIGKILL', async () => {
  const { kills } = await crashBulkActions(500, 1);
  expect(kills).toBeGreaterThan(2);
}, 300_000);
