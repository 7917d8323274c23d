import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buffersOf } from '../../src/building/transferables.ts';
import { SearchEngine } from '../../src/search/engine.ts';
import { foldName } from '../../src/search/fold.ts';
import type { SearchIndexData } from '../../src/search/index-data.ts';
import { Matcher } from '../../src/search/matcher.ts';
import { toQueryWords } from '../../src/search/query-words.ts';
import { runs } from '../property-runs.ts';
import { anySkill, createEngine, createIndex, createSkill } from './sample-skills.ts';

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 256 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 256 }),
  fc.constantFrom(
    '\0',
    '\0'.repeat(256),
    'a '.repeat(128),
    '__proto__',
    'constructor',
    '🙂'.repeat(128),
    '\u0301'.repeat(256),
  ),
  fc.string({ unit: fc.constantFrom('ﷺ', '㌀', 'İ', 'ẞ', '\ud800', '\u200d', '葛\udb40\udd00'), maxLength: 256 }),
);

test('an engine answers whatever it is asked, within its rows', () => {
  const engine = createEngine([{ name: 'a' }, { name: '\0' }, { name: 'constructor', tags: ['__proto__'] }]);
  const query = fc.record(
    { q: hostileText, tag: hostileText, author: hostileText, skip: fc.nat(), limit: fc.nat() },
    { requiredKeys: ['skip'] },
  );
  fc.assert(
    fc.property(query, hostileText, (asked, prefix) => {
      const { total, rows } = engine.find({ ...asked, facets: ['tag'] });
      expect(total).toBeLessThanOrEqual(3);
      expect(rows.length).toBeLessThanOrEqual(total);
      expect(engine.suggest(prefix, 10).length).toBeLessThanOrEqual(10);
    }),
    { numRuns: runs(100) },
  );
});

test('an engine finds each skill by its whole name, whatever that is made of', () => {
  fc.assert(
    fc.property(
      fc.array(
        hostileText.filter((text) => text.trim() !== ''),
        { minLength: 1, maxLength: 8 },
      ),
      (names) => {
        const engine = createEngine(names.map((name) => ({ name })));
        for (const [row, name] of names.entries()) {
          if (foldName(name) !== '') expect(engine.find({ q: name, skip: 0 }).rows).toContain(row);
        }
      },
    ),
    { numRuns: runs(100) },
  );
});

test('an engine uses the first sixteen words only', () => {
  const words = [...'abcdefghijklmnopq'].map((letter) => letter.repeat(5));
  const engine = createEngine([{ name: 'a', description: words.slice(0, 16).join(' ') }]);
  expect(engine.find({ q: words.join(' '), skip: 0 }).total).toBe(1);
  expect(engine.find({ q: words.slice(1).join(' '), skip: 0 }).total).toBe(0);
});

test('an engine finds the same when its marks of earlier queries are used up', () => {
  const data = createIndex([{ name: 'one two' }, { name: 'two three' }, { name: 'three one' }].map(createSkill));
  const matcher = new Matcher(data, 5);
  for (let round = 0; round < 20; round++) {
    for (const [at, q] of ['one two', 'two three', 'three one'].entries()) {
      expect(matcher.match(toQueryWords(q))).toBe(1);
      expect(matcher.rows[0]).toBe(at);
    }
  }
});

test('an engine is of no skills at all, too', () => {
  const engine = createEngine([]);
  expect(engine.find({ q: 'anything', facets: ['tag', 'valid'], skip: 0 })).toEqual({
    total: 0,
    rows: new Uint32Array(0),
    facets: { tag: [], valid: [] },
  });
  expect(engine.find({ skip: 0 }).total).toBe(0);
  expect(engine.suggest('a', 5)).toEqual([]);
});

test('an engine takes words of any length, cut at 64 letters', () => {
  const engine = createEngine([{ name: 'a', description: `${'x'.repeat(100_000)} 数${'据'.repeat(50_000)}` }]);
  expect(engine.find({ q: 'x'.repeat(64), skip: 0 }).total).toBe(1);
  expect(engine.find({ q: 'x'.repeat(200), skip: 0 }).total).toBe(1);
  expect(engine.find({ q: '据据据', skip: 0 }).total).toBe(1);
});

test('an index is the same for the same skills, byte for byte, and the same to search after it moved to another thread', () => {
  fc.assert(
    fc.property(fc.array(anySkill, { maxLength: 20 }), (skills) => {
      const data = createIndex(skills);
      expect(createIndex(skills)).toEqual(data);
      const query = { q: 'ab', facets: ['tag', 'author'] as const, skip: 0 };
      const before = new SearchEngine(data).find(query);
      const moved: SearchIndexData = structuredClone(data, { transfer: buffersOf(data) });
      expect(data.postingOffsets).toHaveLength(0);
      expect(new SearchEngine(moved).find(query)).toEqual(before);
    }),
    { numRuns: runs(50) },
  );
});

test('an index has arrays of exact size, each once among what is transferred', () => {
  const data = createIndex([createSkill({ name: 'some skill', tags: ['one', 'two'], author: 'ann' })]);
  const buffers = buffersOf(data);
  expect(new Set(buffers).size).toBe(buffers.length);
  expect(data.postings.byteLength).toBe(data.postings.buffer.byteLength);
  expect(data.words.units.byteLength).toBe(data.words.units.buffer.byteLength);
  expect(buffers.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(1_000);
});
