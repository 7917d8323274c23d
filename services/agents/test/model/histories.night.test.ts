import { randomInt } from 'node:crypto';
import { test } from '@jest/globals';
import { playHistories } from './play-histories.ts';

const { MODEL_HISTORIES, MODEL_LANES = 40, MODEL_SEED = randomInt(2 ** 31), MODEL_PATH } = process.env;
const HISTORIES = Number(MODEL_HISTORIES ?? 2_000);
/** By default, new rounds begin for one minute. */
const WITHIN_MS = MODEL_HISTORIES ? HISTORIES * 1_000 : 60_000;

test(
  'agrees with the model in random histories of concurrent requests, with workers that crash, sleep and repeat requests',
  () =>
    playHistories({
      histories: HISTORIES,
      lanes: Number(MODEL_LANES),
      seed: Number(MODEL_SEED),
      path: MODEL_PATH,
      withinMs: WITHIN_MS,
    }),
  WITHIN_MS + 300_000,
);
