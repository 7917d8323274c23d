import { expect, test } from '@jest/globals';
import { cutAppendOnlyFile } from './cut-append-only-file.ts';

test('leaves no half change wherever the append-only file of Redis ends', async () => {
  const { cuts, problems } = await cutAppendOnlyFile(Number(process.env.CUTS_PER_CHANGE ?? 10));
  console.info(`${cuts} cuts`);
  expect(problems).toEqual([]);
}, 900_000);
