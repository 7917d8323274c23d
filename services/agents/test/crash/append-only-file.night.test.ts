import { expect, test } from '@jest/globals';
import { cutAppendOnlyFile } from './cut-append-only-file.ts';

const CUTS_PER_CHANGE = Number(process.env.CUTS_PER_CHANGE ?? 10);
const TIMEOUT_MS = CUTS_PER_CHANGE * 60_000;

test(
  'leaves no half change wherever the append-only file of Redis ends',
  async () => {
    const { cuts, problems } = await cutAppendOnlyFile(CUTS_PER_CHANGE);
    console.info(`${cuts} cuts`);
    expect(problems).toEqual([]);
  },
  TIMEOUT_MS,
);
