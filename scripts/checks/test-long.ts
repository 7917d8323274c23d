// `npm run test:long`: runs the tests that take minutes each and prints the counts in its last line. Arguments go to
// jest.
import { exitOnSignals } from '../launcher/parent.ts';
import { runJest } from './jest-run.ts';
import { describeOutcome } from './outcome.ts';

const LONG = ['--config=jest.long.config.mjs', '--passWithNoTests'];
/** They measure times, so nothing else may run beside them. */
const ALONE = [
  'e2e/browser/flood',
  'e2e/browser/slow',
  'e2e/enumeration',
  'e2e/failovers',
  'shared/src/redis/failover',
].map((name) => `${name}.long.test.ts`);

exitOnSignals();
const given = process.argv.slice(2);
const runs =
  given.length > 0
    ? [given]
    : [
        ['--testPathIgnorePatterns', '/node_modules/', ...ALONE],
        ['--runInBand', '--', ...ALONE],
      ];
const outcomes = [];
for (const args of runs) outcomes.push(await runJest([...LONG, ...args]));
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failures = outcomes.flatMap((outcome) => outcome.failures);
process.exitCode = failures.length === 0 ? 0 : 1;
console.log(describeOutcome({ passed, failures }));
