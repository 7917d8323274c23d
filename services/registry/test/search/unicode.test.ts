import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fold, foldName } from '../../src/search/fold.ts';
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

test('search in any script finds a part of a name that has no spaces, one character or more, not what has them apart', () => {
  for (const q of ['数据分析助手', '分析助', '数', '手', '分析', '数据 助手']) expect(find(q)).toEqual([0]);
  expect(find('数析')).toEqual([]);
  expect(find('析分')).toEqual([]);
  expect(find('デプロイ')).toEqual([0]);
  expect(find('이터')).toEqual([2]);
  expect(find('분석')).toEqual([2]);
  expect(find('ทดสอบ')).toEqual([2]);
});

test('search in any script does not mind accents, case and forms of the same letter', () => {
  for (const q of ['cafe', 'CAFÉ', 'cafe\u0301 menu', 'ＣＡＦＥ', 'file', 'full', 'menü']) expect(find(q)).toEqual([1]);
  for (const q of ['привет', 'МИР', 'naive']) expect(find(q)).toEqual([5]);
});

test('search in any script keeps voicing marks, which make another letter', () => {
  expect(find('テスト')).toEqual([0]);
  expect(find('デスト')).toEqual([]);
});

test('search in any script forgives a wrong letter beyond ASCII', () => {
  expect(find('превет')).toEqual([5]);
  expect(find('приветт')).toEqual([5]);
});

test('search in any script finds a name without letters by the whole of it only', () => {
  expect(find('🙂')).toEqual([3]);
  expect(find('🚀')).toEqual([]);
  expect(find('rocket 🚀')).toEqual([4]);
  expect(find('++')).toEqual([]);
});

test('search in any script does not mind how a name separates its words', () => {
  expect(foldName(' Code__Review - Tool\t2 ')).toBe('code review tool 2');
  expect(foldName('- _')).toBe('');
});

test('search in any script folds what is folded to itself', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => expect(fold(fold(text))).toBe(fold(text))));
});
