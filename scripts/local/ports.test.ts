import { expect, test } from '@jest/globals';
import { freePort } from './ports.ts';

test('no port is given twice, as it is used some time after it was found free', async () => {
  const ports = await Promise.all(Array.from({ length: 300 }, freePort));
  expect(new Set(ports).size).toBe(ports.length);
});

test('a process that runs for hours finds free ports', async () => {
  for (let count = 0; count < 4_000; count++) expect(await freePort()).toBeGreaterThan(0);
});
