import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fold, foldName } from '../../src/index/words/fold.ts';
import { createEngine } from './sample-skills.ts';

const engine = createEngine([
  { name: '数据分析助手', description: 'テストを書く。デプロイ' },
  { name: 'café-menü', description: 'Straße ﬁle Ｆｕｌｌ' },
  { name: '데이터 분석가', tags: ['การทดสอบ'] },
  { name: '🙂' },
  { name: 'rocket 🚀 launcher' },
  { name: 'Привет-мир', description: 'naïve' },
]);

const find = (q: string) => [...engine.find({ q, skip: 0 }).rows];

test('any part of a name in a script without spaces is found, but not separate characters', () => {
  for (const q of ['数据分析助手', '分析助', '数', '手', '分析', '数据 助手']) expect(find(q)).toEqual([0]);
  expect(find('数析')).toEqual([]);
  expect(find('析分')).toEqual([]);
  expect(find('デプロイ')).toEqual([0]);
  expect(find('이터')).toEqual([2]);
  expect(find('분석')).toEqual([2]);
  expect(find('ทดสอบ')).toEqual([2]);
});

test('a search ignores accents, case and compatibility forms of letters', () => {
  for (const q of ['cafe', 'CAFÉ', 'cafe\u0301 menu', 'ＣＡＦＥ', 'file', 'full', 'menü']) expect(find(q)).toEqual([1]);
  for (const q of ['привет', 'МИР', 'naive']) expect(find(q)).toEqual([5]);
});

test('a search does not ignore voicing marks, which make another letter', () => {
  expect(find('テスト')).toEqual([0]);
  expect(find('デスト')).toEqual([]);
});

test('a typo may be a letter beyond ASCII', () => {
  expect(find('превет')).toEqual([5]);
  expect(find('приветт')).toEqual([5]);
});

test('a name without letters is found only by the complete name', () => {
  expect(find('🙂')).toEqual([3]);
  expect(find('🚀')).toEqual([]);
  expect(find('rocket 🚀')).toEqual([4]);
  expect(find('++')).toEqual([]);
});

test('a folded name has single spaces between its words', () => {
  expect(foldName(' Code__Review - Tool\t2 ')).toBe('code review tool 2');
  expect(foldName('- _')).toBe('');
});

test('folding is idempotent', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => expect(fold(fold(text))).toBe(fold(text))));
});
