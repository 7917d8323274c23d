import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { foldName } from '../../src/index/words/fold.ts';
import { Matcher } from '../../src/search/matcher.ts';
import { toQueryWords } from '../../src/search/query-words.ts';
import { Terms } from '../../src/search/terms.ts';
import { runs } from '../support/property-runs.ts';
import { createEngine, createIndex, createSkill } from './sample-skills.ts';

const hostileText = fc.oneof(
  unicodeText({ maxLength: 256 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 256 }),
  fc.constantFrom('\0', 'a '.repeat(128), '__proto__', 'constructor', '🙂'.repeat(128), '\u0301'.repeat(256)),
  fc.string({ unit: fc.constantFrom('ﷺ', '㌀', 'İ', 'ẞ', '\ud800', '\u200d', '葛\udb40\udd00'), maxLength: 256 }),
);

test('a search engine returns only existing rows for any query', () => {
  const engine = createEngine([{ name: 'a' }, { name: '\0' }, { name: 'constructor', tags: ['__proto__'] }]);
  const query = fc.record(
    { q: hostileText, tag: hostileText, author: hostileText, skip: fc.nat(), limit: fc.nat() },
    { requiredKeys: ['skip'] },
  );
  fc.assert(
    fc.property(query, hostileText, (randomQuery, prefix) => {
      const { total, rows } = engine.find({ ...randomQuery, facets: ['tag'] });
      expect(total).toBeLessThanOrEqual(3);
      expect(rows.length).toBeLessThanOrEqual(total);
      expect(engine.suggest(prefix, 10).length).toBeLessThanOrEqual(10);
    }),
    { numRuns: runs(100) },
  );
});

test('a search engine finds each skill by its complete name, with any characters', () => {
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

test('a search engine uses the first sixteen words of a query', () => {
  const words = [...'abcdefghijklmnopq'].map((letter) => letter.repeat(5));
  const engine = createEngine([
    { name: 'a', description: words.slice(0, 16).join(' ') },
    { name: 'b', description: words[16] },
  ]);
  expect([...engine.find({ q: words.join(' '), skip: 0 }).rows]).toEqual([0]);
  expect([...engine.find({ q: words[16], skip: 0 }).rows]).toEqual([1]);
});

test.each(['x'.repeat(100_000), `${'x'.repeat(100_000)} 数${'据'.repeat(50_000)}`])(
  'words of any length are searched by their first 64 letters (case %#)',
  (description) => {
    const engine = createEngine([{ name: 'a', description }]);
    expect(engine.find({ q: 'x'.repeat(64), skip: 0 }).total).toBe(1);
    expect(engine.find({ q: 'x'.repeat(200), skip: 0 }).total).toBe(1);
    expect(engine.find({ q: '据据据', skip: 0 }).total).toBe(description.includes('数') ? 1 : 0);
  },
);

test('a matcher finds the same rows and scores with and without kept gains', () => {
  const data = createIndex(
    Array.from({ length: 200 }, (_, at) =>
      createSkill({
        name: `code ${at % 7 === 0 ? 'review' : 'codes'}`,
        tags: at % 3 === 0 ? ['reviews'] : [],
        description: `${at === 77 ? 'rare' : ''} ${at % 2 === 0 ? 'code' : 'testing'}`,
      }),
    ),
  );
  const terms = new Terms(data);
  const [kept, unkept] = [new Matcher(data), new Matcher(data, Number.POSITIVE_INFINITY)];
  const found = ({ rows, scores }: Matcher, count: number) =>
    Array.from(rows.subarray(0, count), (row, at) => [row, scores[at]]).sort(([a = 0], [b = 0]) => a - b);
  for (const q of ['rare test code', 'code review', 'rare testing', 'tests of codes', 'rare', 'review code rare']) {
    const ofQuery = toQueryWords(q).map((word) => terms.find(word));
    const all = found(kept, kept.match(ofQuery));
    expect(found(unkept, unkept.match(ofQuery))).toEqual(all);
    const most = found(kept, kept.matchMost(ofQuery, 0.3));
    expect(found(unkept, unkept.matchMost(ofQuery, 0.3))).toEqual(most);
    expect(most.length).toBeGreaterThanOrEqual(Math.max(all.length, 1));
  }
});
