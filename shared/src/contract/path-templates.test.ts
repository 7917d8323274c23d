import { expect, test } from '@jest/globals';
import { array, assert, constantFrom, property, uniqueArray } from 'fast-check';
import { createPathMatcher } from './path-templates.ts';

test('matches templates with a parameter within a segment, and names of object members as text', () => {
  const templates = ['/files/{a}.json', '/agents/{id}'];
  const match = createPathMatcher(templates.map((template) => [template, template] as const));
  expect(match('/files/a.json')).toBe('/files/{a}.json');
  expect(match('/files')).toBeUndefined();
  expect(match('/__proto__')).toBeUndefined();
  expect(match('/agents/__proto__')).toBe('/agents/{id}');
});

/** What each template means, one by one: `{x}` sorts after letters, so a literal goes before it. */
function firstThatFits(templates: string[], path: string): string | undefined {
  const segments = path.split('/');
  const isFit = (part: string, at: number) => part === segments[at] || (part === '{x}' && segments[at] !== '');
  const fitting = templates.map((template) => template.split('/')).filter((parts) => parts.length === segments.length);
  return fitting
    .filter((parts) => parts.every(isFit))
    .map((parts) => parts.join('/'))
    .toSorted()[0];
}

test('finds the template of a path, literal segments first, like a linear search', () => {
  const pathOf = (...segments: string[]) =>
    array(constantFrom(...segments), { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
  const templates = uniqueArray(pathOf('a', 'b', '{x}'), { maxLength: 12 });
  assert(
    property(templates, pathOf('a', 'b', 'c', ''), (known, path) => {
      const find = createPathMatcher(known.map((template) => [template, template] as const));
      expect(find(path)).toBe(firstThatFits(known, path));
    }),
    { numRuns: 500 },
  );
});
