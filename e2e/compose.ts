// Starts docker-compose.yml and tests it: `node scripts/run.mjs compose`. With `--images` it only builds the images,
// with `--night` it tests more. The last line of the output is `N passed, N failed`. Removes all its containers,
// networks and volumes.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { onParentGone } from '@agent-fleet/scripts/launcher/parent';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { ROOT } from '@agent-fleet/scripts/services';
import { describeOutcome } from '@agent-fleet/scripts/testing/outcome';
import { provideBaseImages } from './compose/base-images.ts';
import { checkStack } from './compose/checks.ts';
import { checkProduction } from './compose/production.ts';
import { Scorecard } from './compose/scorecard.ts';
import { Stack } from './compose/stack.ts';

const DEADLINE_MS = 40 * 60_000;
/** One project name per checkout, so that a run finds what a killed run left behind. */
const PROJECT = `fleet-e2e-${createHash('sha256').update(ROOT).digest('hex').slice(0, 8)}`;

/** Of the images. */
const TAG = 'e2e';
const SCALE = { agents: 2, gateway: 2, identity: 2, registry: 2 };
const NIGHT_SCALE = { ...SCALE, agents: 3, gateway: 3 };

const { values: options } = parseArgs({ options: { images: { type: 'boolean' }, night: { type: 'boolean' } } });
const isNight = options.night === true;

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort());
onParentGone(() => interrupted.abort());
const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(DEADLINE_MS)]);

const scorecard = new Scorecard();
const folder = await mkdtemp(join(tmpdir(), 'agent-fleet-compose-'));
try {
  await run();
} catch (error) {
  scorecard.fail('the run', signal.aborted ? 'Interrupted, or out of time' : error);
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(describeOutcome(scorecard));
process.exit(scorecard.failures.length === 0 ? 0 : 1);

async function run(): Promise<void> {
  if (!(await scorecard.check('Docker and the base images are there', () => provideBaseImages(signal)))) return;
  const port = await freePort();
  const apiKey = randomBytes(24).toString('hex');
  const variables = {
    PORT: port,
    TAG,
    API_KEYS: `e2e:${apiKey}`,
    RATE_LIMIT_PER_MINUTE: 0,
    SIGN_IN_LIMIT_PER_MINUTE: 0,
    SIGN_IN_FAILURES_PER_ACCOUNT: 0,
  };
  const stack = await Stack.create({ project: PROJECT, folder, variables, signal });
  if (!(await scorecard.check('the images build', () => stack.build())) || options.images) return;
  const scene = {
    stack,
    target: { baseUrl: `http://127.0.0.1:${port}`, apiKey },
    scale: isNight ? NIGHT_SCALE : SCALE,
  };
  try {
    await checkStack({ scene, scorecard, folder, signal, isNight });
  } finally {
    await scorecard.check('everything is removed again', () => stack.remove());
  }
  await checkProduction({ scorecard, signal, folder, project: PROJECT, tag: TAG });
}
