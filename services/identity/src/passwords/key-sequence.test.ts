import { expect, test } from '@jest/globals';
import { isKeySequence } from './key-sequence.ts';

test.each([
  'qwertyuiopasdfg',
  'qwertyuiop[]asdf',
  'asdfghjklqwertyuiop',
  '1234567890qwerty',
  '123456789012345',
  '12345678987654321',
  'poiuytrewqlkjhgfdsa',
  'qwertyuiopoiuytrewq',
  'abcdefghijklmno',
  'zyxwvutsrqponmlk',
  'uvwxyzabcdefghijk',
  'abcabcdabcdefgfedcba',
  '1qaz2wsx3edc4rfv',
  'qwertzuiopasdfghj',
  'azertyuiopqsdfgh',
  'йцукенгшщзхъфыва',
])('%s is a sequence of keys', (text) => {
  expect(isKeySequence(text)).toBe(true);
});

test.each([
  'correct horse battery staple',
  'qwertyuiopasdfg!',
  'abcdefghijklmno and more',
  'the quick brown fox',
  'abdegh124578qetu',
])('%s is none', (text) => {
  expect(isKeySequence(text)).toBe(false);
});
