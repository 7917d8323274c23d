import { expect, test } from '@jest/globals';
import { cutAppendOnlyFile } from './cut-append-only-file.ts';

test('makes each change by one script, of which a crash in the middle of its write leaves nothing', async () => {
  const { problems, severalScripts } = await cutAppendOnlyFile(2);
  expect(severalScripts).toEqual([]);
  expect(problems).toEqual([]);
}, 300_000);
