import { test } from '@jest/globals';
import { CRASHES, expectOldOrNew } from './support/crashes.ts';

for (const [what, crash] of Object.entries(CRASHES)) {
  test(
    `leaves the old or the new state when ${what} is killed at every second change of the file system`,
    () => expectOldOrNew(crash, 2),
    600_000,
  );
  test(
    `leaves the old or the new state when ${what} is killed, and what finishes or undoes it too`,
    () => expectOldOrNew(crash, 3, true),
    600_000,
  );
}
