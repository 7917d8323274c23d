import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createOtherIds, toId } from './ids.ts';

test.each([
  ['owner/repo/my skill', 'owner~repo~my-skill'],
  ['owner/repo/my-skill', 'owner~repo~my-skill'],
  ['react:components', 'react-components'],
  ['../..', ''],
  ['.', ''],
  ['a//b', 'a~b'],
  ['a/-b-', 'a~b'],
  ['a~b', 'a-b'],
  ['C++ & Rust', 'C-Rust'],
])('%j becomes the id %j', (text, id) => expect(toId(text)).toBe(id));

test('an id is safe in a URL, and making an id of an id does not change it', () => {
  fc.assert(
    fc.property(fc.oneof(unicodeText(), fc.stringMatching(/^[\w./ -]*$/)), (text) => {
      const id = toId(text);
      expect(id).toMatch(/^(?:\w(?:[\w.~-]*\w)?)?$/);
      expect(toId(id.replaceAll('~', '/'))).toBe(id);
    }),
  );
});

test('ids differ when letters beyond ASCII are replaced', () => {
  const [left, right] = [toId('owner/剪口播'), toId('owner/安装')];
  expect(left).toMatch(/^owner-[0-9a-f]{8}$/);
  expect(left).not.toBe(right);
  expect(toId('剪口播')).toBe(toId('剪口播'));
});

test('the id of a long text is short, fast to compute, and different from that of another long text', () => {
  expect(toId(`a${'-'.repeat(500_000)}b`)).toMatch(/^a-+-[0-9a-f]{8}$/);
  expect(toId('x'.repeat(10_000)).length).toBeLessThan(200);
  expect(toId('x'.repeat(10_000))).not.toBe(toId('x'.repeat(10_001)));
});

test('a duplicate id gets a suffix from the identity of its skill, and no other skill has the new id', () => {
  const [free, other] = ['one', 'two'].map((identity) => createOtherIds(() => false)('a', identity));
  expect(free).toMatch(/^a~[0-9a-f]{8}$/);
  expect(other).not.toBe(free);
  expect(createOtherIds((id) => id === free)('a', 'one')).toBe(`${free}~2`);
});

test('ids of skills with the same identity get numbers, also for very many', () => {
  const toOtherId = createOtherIds(() => false);
  const given = Array.from({ length: 50_000 }, () => toOtherId('a', 'same'));
  expect(new Set(given).size).toBe(given.length);
  expect(given[1]).toBe(`${given[0]}~2`);
});
