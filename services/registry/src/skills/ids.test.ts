import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OtherIds, toId } from './ids.ts';

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
])('the id of a skill of %j is %j', (text, id) => expect(toId(text)).toBe(id));

test('the id of a skill is safe in an address, and of itself the same again', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\w./ -]*$/)), (text) => {
      const id = toId(text);
      expect(id).toMatch(/^(?:\w(?:[\w.~-]*\w)?)?$/);
      expect(toId(id.replaceAll('~', '/'))).toBe(id);
    }),
  );
});

test('the id of a skill stays apart from others when letters beyond ASCII are replaced', () => {
  const [left, right] = [toId('owner/剪口播'), toId('owner/安装')];
  expect(left).toMatch(/^owner-[0-9a-f]{8}$/);
  expect(left).not.toBe(right);
  expect(toId('剪口播')).toBe(toId('剪口播'));
});

test('the id of a skill is made of hundreds of thousands of dashes at once', () => {
  expect(toId(`a${'-'.repeat(500_000)}b`)).toMatch(/^a-+-[0-9a-f]{8}$/);
});

test('the id of a skill is short, however long the text', () => {
  expect(toId('x'.repeat(10_000)).length).toBeLessThan(200);
  expect(toId('x'.repeat(10_000))).not.toBe(toId('x'.repeat(10_001)));
});

test('the id of a skill whose own goes to another depends on what tells it apart, and is no id that a skill has by right', () => {
  const [free, other] = ['one', 'two'].map((identity) => new OtherIds(() => false).claim('a', identity));
  expect(free).toMatch(/^a~[0-9a-f]{8}$/);
  expect(other).not.toBe(free);
  expect(new OtherIds((id) => id === free).claim('a', 'one')).toBe(`${free}~2`);
});

test('the id of a skill whose own goes to another has a number where nothing tells it apart, for very many, too', () => {
  const ids = new OtherIds(() => false);
  const given = Array.from({ length: 50_000 }, () => ids.claim('a', 'same'));
  expect(new Set(given).size).toBe(given.length);
  expect(given[1]).toBe(`${given[0]}~2`);
});
