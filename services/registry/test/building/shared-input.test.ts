import { expect, test } from '@jest/globals';
import { shareInput } from '../../src/building/worker-input.ts';
import { sourceOf } from './packed-files.ts';

test('the input of a build, with its fallback, is moved to shared memory once', async () => {
  const fallback = sourceOf('a', [{ name: 'old' }]).files;
  const source = { ...sourceOf('a', [{ name: 'new' }]), fallback };
  const documents = [...source.files.documents, ...fallback.documents];
  const before = documents.map(({ packed }) => Buffer.from(packed));
  const bytes = before.reduce((sum, { length }) => sum + length, 0);
  expect(await shareInput({ sources: [source] })).toBe(bytes);
  for (const { packed } of documents) expect(packed.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(documents.map(({ packed }) => Buffer.from(packed))).toEqual(before);
  expect(await shareInput({ sources: [source] })).toBe(0);
});
