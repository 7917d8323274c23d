import { expect, test } from '@jest/globals';
import { freePort } from './ports.ts';

test('no port is given twice, as it is used some time after it was found free', async () => {
  const ports = await Promise.all(Array.from({ length: 300 }, freePort));
  expect(new Set(ports).size).toBe(ports.length);
});
