// Breaks a running fleet and checks what it has acknowledged: `npm run faults`, docs/faults.md. The last line of the
// output is `N passed, N failed`.
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { describeOutcome, type Failure } from '@agent-fleet/scripts/testing/outcome';
import type { PictureName } from './faults/machines/fleet.ts';
import { readOptions } from './faults/options.ts';
import { runPicture } from './faults/run.ts';
import { findObstacle, isInSandbox, runInSandbox } from './faults/sandbox.ts';
import { findPlanted } from './faults/self-test.ts';

/** Of the time. */
const SHARES: Record<PictureName, number> = { sentinel: 2, strict: 1 };
/** What a picture takes besides its faults: its start, the rest of the last fault, and the checks. */
const START_AND_END_SECONDS = 55;
/** Of a picture; then comes a new fleet. The checks need all events, of which a fleet keeps 100,000: 20 minutes. */
const LONGEST_SECONDS = 600;

const options = readOptions(process.argv.slice(2));
const failures: Failure[] = [];
let passed = 0;
const say = (line: string) => console.log(line);

process.exit(isInSandbox ? await runHere() : await prepare());

async function prepare(): Promise<number> {
  const obstacle = findObstacle();
  if (obstacle === undefined) return runInSandbox([`--seed=${options.seed}`]);
  console.error(obstacle);
  return 1;
}

async function runHere(): Promise<number> {
  const { plants, seed } = options;
  say(`Seed ${seed}`);
  if (plants.length > 0) for (const name of plants) await findPlant(name);
  else await breakAll();
  say(describeOutcome({ passed, failures }));
  return failures.length === 0 ? 0 : 1;
}

/** A long time in rounds, each with the next seed. */
async function breakAll(): Promise<void> {
  const { pictures, seconds, seed } = options;
  say(`Pictures: ${pictures.join(', ')}; another one by --picture, or all`);
  const shares = pictures.map((picture) => SHARES[picture]);
  const all = shares.reduce((sum, share) => sum + share, 0);
  const rounds = Math.ceil((seconds * Math.max(...shares)) / all / LONGEST_SECONDS);
  for (let round = 0; round < rounds; round++) {
    for (const picture of pictures) {
      await breakPicture(picture, (seconds * SHARES[picture]) / all / rounds, seed + round);
    }
  }
}

async function breakPicture(picture: PictureName, allSeconds: number, seed: number): Promise<void> {
  const seconds = Math.max(1, allSeconds - START_AND_END_SECONDS);
  say(`== ${picture}, seed ${seed}, ${Math.round(seconds)} s of faults`);
  const dir = folderOf(picture, seed);
  const { kinds, hasWholeRound } = options;
  const { violations, figures } = await runPicture({ picture, seconds, seed, dir, kinds, hasWholeRound, say });
  say(`${picture}: ${figures}`);
  judge(`${picture}, seed ${seed}, logs in ${dir}`, violations.join('\n'));
}

async function findPlant(name: string): Promise<void> {
  say(`== planted: ${name}`);
  const { seed } = options;
  const problem = await findPlanted(name, { seed, dir: folderOf('planted', seed), say });
  if (problem) say(problem);
  judge(`planted ${name}, seed ${seed}`, problem);
}

function judge(name: string, problem: string | undefined): void {
  if (problem) failures.push({ name, message: problem });
  else passed++;
}

function folderOf(name: string, seed: number): string {
  return join(ROOT, '.data/faults', `${seed}-${name}`);
}
