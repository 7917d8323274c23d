// `npm run test:long`: runs the tests that take minutes each and prints the counts in its last line. Arguments go to
// jest.
import { exitOnSignals } from '../launcher/parent.ts';
import { runJest } from './jest-run.ts';
import { describeOutcome } from './outcome.ts';

exitOnSignals();
const outcome = await runJest(['--config=jest.long.config.mjs', '--passWithNoTests', ...process.argv.slice(2)]);
process.exitCode = outcome.failures.length === 0 ? 0 : 1;
console.log(describeOutcome(outcome));
