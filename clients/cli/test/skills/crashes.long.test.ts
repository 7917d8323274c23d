import { test } from '@jest/globals';
import { CRASHES, expectOldOrNew } from './support/crashes.ts';

for (const [what, crash] of Object.entries(CRASHES)) {
  test(`leaves the old or the new state when ${what} is killed`, () => expectOldOrNew(crash, 11), 300_000);
}
