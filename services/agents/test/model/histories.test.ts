import { test } from '@jest/globals';
import { playHistories } from './play-histories.ts';

test('agrees with the model in a few histories of concurrent requests', () =>
  playHistories({ histories: 80, lanes: 40, seed: 7, withinMs: 60_000 }));
