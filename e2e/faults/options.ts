import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ROOT } from '@agent-fleet/scripts/services';
import { PICTURES, type PictureName } from './machines/fleet.ts';
import { type Kind, NEMESES } from './nemeses/nemeses.ts';
import { PLANT_NAMES } from './self-test.ts';

const USAGE = `Usage: npm run faults -- [--minutes 4 | --hours 8] [--seed N] [--picture ${[...PICTURES, 'all'].join('|')}]
       [--only KIND,…] [--plant NAME | --self-test]
By default, the commit chooses the picture.
Kinds: ${Object.keys(NEMESES).join(', ')}`;

const DEFAULT_MINUTES = 4;

export interface Options {
  pictures: readonly PictureName[];
  /** Of all pictures together. */
  seconds: number;
  seed: number;
  /** Whether each picture has every kind of fault, even if that takes longer. */
  hasWholeRound: boolean;
  /** The only faults; undefined: all. */
  kinds: readonly Kind[] | undefined;
  /** Planted faults to find instead. */
  plants: readonly string[];
}

/** Ends the process with the usage when the arguments are wrong. */
export function readOptions(args: string[]): Options {
  try {
    return toOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

function toOptions(args: string[]): Options {
  const text = { type: 'string' } as const;
  const options = { minutes: text, hours: text, seed: text, picture: text, only: text, plant: text };
  const selfTest = { 'self-test': { type: 'boolean' } } as const;
  const { values } = parseArgs({ args, options: { ...options, ...selfTest } });
  const minutes = Number(values.minutes ?? Number(values.hours ?? DEFAULT_MINUTES / 60) * 60);
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error('Not a number');
  const picture = values.picture ?? pictureOfCommit(seed);
  const pictures = picture === 'all' ? PICTURES : PICTURES.filter((name) => name === picture);
  const kinds = values.only?.split(',') as Kind[] | undefined;
  if (pictures.length === 0 || kinds?.some((kind) => !(kind in NEMESES))) throw new Error('Unknown picture or kind');
  const plants = values['self-test'] ? PLANT_NAMES : (values.plant?.split(',') ?? []);
  if (plants.some((name) => !PLANT_NAMES.includes(name))) throw new Error(`Faults: ${PLANT_NAMES.join(', ')}`);
  const hasWholeRound = values.minutes === undefined && values.hours === undefined;
  return { pictures, seconds: minutes * 60, seed, hasWholeRound, kinds, plants };
}

/** So that each picture has its turn, and a commit always the same one. Without a commit, the seed chooses. */
function pictureOfCommit(seed: number): PictureName {
  let chosen = seed;
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
    chosen = Number.parseInt(commit.slice(0, 8), 16);
  } catch {}
  return PICTURES[chosen % PICTURES.length] as PictureName;
}
