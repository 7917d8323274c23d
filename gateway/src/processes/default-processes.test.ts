import { expect, test } from '@jest/globals';
import { defaultProcesses } from './default-processes.ts';

const MEBIBYTE = 1024 ** 2;

test.each([
  [4, 0, 4],
  [4, 4096 * MEBIBYTE, 4],
  [4, 512 * MEBIBYTE, 2],
  [4, 511 * MEBIBYTE, 1],
  [4, 64 * MEBIBYTE, 1],
  [4, 2 ** 64, 4],
  [1, 0, 1],
  [128, 0, 64],
])('with %i cores and %i bytes of memory there are %i processes by default', (cores, memory, expected) => {
  expect(defaultProcesses(cores, memory)).toBe(expected);
});
