import { expect, test } from '@jest/globals';
import { array, assert, constantFrom, property, uniqueArray } from 'fast-check';
import { createPathMatcher } from './path-templates.ts';

const match = createPathMatcher(
  [
    '/agents',
    '/agents/{id}',
    '/agents/{id}/tasks',
    '/agents/{id}/tasks/{task}',
    '/agents/all/runs',
    '/files/{a}.json',
  ].map((template) => [template, template] as const),
);

test('finds the template of a path', () => {
  expect(match('/agents')).toBe('/agents');
  expect(match('/agents/7')).toBe('/agents/{id}');
  expect(match('/agents/7/tasks')).toBe('/agents/{id}/tasks');
  expect(match('/agents/7/tasks/8')).toBe('/agents/{id}/tasks/{task}');
  expect(match('/files/a.json')).toBe('/files/{a}.json');
});

test('prefers a literal segment, and backtracks', () => {
  expect(match('/agents/all/runs')).toBe('/agents/all/runs');
  expect(match('/agents/all')).toBe('/agents/{id}');
  expect(match('/agents/all/tasks')).toBe('/agents/{id}/tasks');
});

test.each([
  '/',
  '/agents/',
  '/agents//tasks',
  '/Agents',
  '/agents/7/',
  '/agents/7/runs',
  '/agents/7/tasks/8/9',
  '/files',
])('knows no %s', (path) => {
  expect(match(path)).toBeUndefined();
});

test('treats names of object members as text', () => {
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

test('finds the same template as a linear search', () => {
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
