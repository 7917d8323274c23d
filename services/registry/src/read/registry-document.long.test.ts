import { expect, test } from '@jest/globals';
import { readDocument } from './registry-document.ts';

const read = (text: string) => readDocument(Buffer.from(text));

test('a file of more than two million records is refused', () => {
  expect(() => read(`[${'0,'.repeat(2_000_000)}0]`)).toThrow(expect.objectContaining({ code: 'unknown_shape' }));
  expect([...read(`[${'0,'.repeat(1_999_999)}0]`).entries()]).toHaveLength(2_000_000);
});
