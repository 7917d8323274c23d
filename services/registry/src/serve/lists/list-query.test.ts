import { parseInput } from '@agent-fleet/shared/contract/input';
import { expect, test } from '@jest/globals';
import { CATALOGUE_QUERY } from './list-query.ts';

const parse = (query: Record<string, unknown>) => parseInput(CATALOGUE_QUERY, query);

/** Whether a text fits the pattern that the document has of a parameter. */
const isDocumented = (name: keyof typeof CATALOGUE_QUERY.shape, text: string) =>
  new RegExp(CATALOGUE_QUERY.shape[name].meta()?.pattern as string, 'u').test(text);

test('the query of the catalogue is parsed into typed values', () => {
  const query = {
    q: ' code review ',
    valid: 'false',
    updated_since: '2026-01-31',
    facets: 'valid,category, tag,tag',
    fields: 'description,name',
    limit: '50',
  };
  expect(parse(query)).toEqual({
    q: 'code review',
    valid: false,
    updated_since: Date.UTC(2026, 0, 31),
    facets: ['category', 'tag', 'valid'],
    fields: ['name', 'description'],
    skip: 0,
    limit: 50,
  });
});

test('empty parameters of the catalogue count as absent', () => {
  const nothing = { q: ' ', category: '', tag: '', author: '', repo: '', license: '', facets: '', fields: ' ' };
  expect(Object.values(parse(nothing)).filter((value) => value !== undefined)).toEqual([0]);
});

test.each([
  ['2026-01-31T10:00:00Z', Date.UTC(2026, 0, 31, 10)],
  ['2026-01-31t10:00:00.5z', Date.UTC(2026, 0, 31, 10, 0, 0, 500)],
  ['2026-01-31T10:00:00+02:00', Date.UTC(2026, 0, 31, 8)],
  ['2028-02-29', Date.UTC(2028, 1, 29)],
  ['2026-01-31T10:00:00-23:59', Date.UTC(2026, 1, 1, 9, 59)],
])('the query of the catalogue takes updated_since=%s', (text, time) => {
  expect(parse({ updated_since: text }).updated_since).toBe(time);
  expect(isDocumented('updated_since', text)).toBe(true);
});

test.each([
  ['updated_since', '2026-02-29'],
  ['updated_since', '2026-01-31T10:00Z'],
  ['updated_since', '2026-01-31T10:00:00'],
  ['updated_since', '2026-01-31T24:00:00Z'],
  ['updated_since', '+2026-01-31'],
  ['updated_since', ''],
  ['facets', 'category,'],
  ['facets', ',category'],
  ['facets', 'category tag'],
  ['fields', 'name,colour'],
] as const)('the query of the catalogue refuses %s=%j, which does not fit the documented pattern', (name, text) => {
  expect(() => parse({ [name]: text })).toThrow(new RegExp(`^${name}: `));
  expect(isDocumented(name, text)).toBe(false);
});

test.each<readonly [string, string | string[]]>([
  ['updated_since', '2026-01-31 10:00:00'],
  ['valid', 'yes'],
  ['valid', ''],
  ['facets', 'category,stars'],
  ['fields', 'id,__proto__'],
  ['fields', `name${' '.repeat(510)}`],
  ['skip', '99999999999999999'],
  ['q', ['a', 'b']],
  ['tag', ['a', 'b']],
  ['repo', ['a', 'b']],
  ['cursor', ['a', 'b']],
  ['cursor', 'x'.repeat(2_049)],
  ['q', 'x'.repeat(257)],
])('the query of the catalogue refuses %s=%j', (name, value) => {
  expect(() => parse({ [name]: value })).toThrow(new RegExp(`^${name}: `));
});
