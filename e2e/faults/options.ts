import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { PICTURES, type PictureName } from './machines/fleet.ts';
import { type Kind, NEMESES } from './nemeses/nemeses.ts';
import { PLANT_NAMES } from './self-test.ts';

const USAGE = `Usage: npm run faults -- [--minutes 10 | --hours 8] [--seed N] [--picture sentinel|cluster|strict]
       [--only KIND,…] [--plant NAME | --self-test]
Kinds: ${Object.keys(NEMESES).join(', ')}`;

export interface Options {
  pictures: readonly PictureName[];
  /** Of all pictures together. */
  seconds: number;
  seed: number;
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
  const minutes = Number(values.minutes ?? Number(values.hours ?? 1 / 6) * 60);
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error('Not a number');
  const picture = values.picture ?? 'both';
  const pictures = picture === 'both' ? PICTURES : PICTURES.filter((name) => name === picture);
  const kinds = values.only?.split(',') as Kind[] | undefined;
  if (pictures.length === 0 || kinds?.some((kind) => !(kind in NEMESES))) throw new Error('Unknown picture or kind');
  const plants = values['self-test'] ? PLANT_NAMES : (values.plant?.split(',') ?? []);
  if (plants.some((name) => !PLANT_NAMES.includes(name))) throw new Error(`Faults: ${PLANT_NAMES.join(', ')}`);
  return { pictures, seconds: minutes * 60, seed, kinds, plants };
}
