// `npm run test:long`: runs the tests that take minutes each and prints the sums in its last line. Arguments go to
// jest.
import { exitOnSignals } from '../launcher/parent.ts';
import { describeFailures } from './failures.ts';
import { runJest } from './jest-run.ts';
import { describeSums } from './sums.ts';

exitOnSignals();
const { sums, failures } = await runJest([
  '--config=jest.long.config.mjs',
  '--passWithNoTests',
  ...process.argv.slice(2),
]);
process.exitCode = sums.failed === 0 ? 0 : 1;
if (failures.length > 0) console.log(describeFailures(failures));
console.log(describeSums(sums));
