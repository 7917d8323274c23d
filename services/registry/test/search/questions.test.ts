import { expect, test } from '@jest/globals';
import { createEngine, type SkillParts } from './sample-skills.ts';

/** The names that a query finds, in order. */
function ranked(q: string, skills: SkillParts[], filters: { author?: string } = {}): string[] {
  const { rows } = createEngine(skills).find({ q, skip: 0, ...filters });
  return [...rows].map((row) => skills[row]?.name ?? '?');
}

/** Skills of other subjects, so that frequent words weigh less than rare ones. */
const OTHERS: SkillParts[] = Array.from({ length: 40 }, (_, at) => ({
  name: `other-${at}`,
  description: 'Build and create apps with agents',
}));

test.each([
  ['c++', 'cpp'],
  ['C#', 'csharp'],
  ['F#', 'fsharp'],
  ['.NET', 'dotnet'],
  ['Next.js', 'nextjs'],
  ['ASP.NET', 'aspnet'],
])('%s and %s are the same word in queries, names, tags and descriptions', (sign, word) => {
  const spellings = [`Modern ${sign}, tested`, `about ${word}`];
  const skills = spellings.flatMap((text, at) => [
    { name: `a ${text} ${at}` },
    { name: `tags ${at}`, tags: [text] },
    { name: `description ${at}`, description: text },
  ]);
  for (const q of [sign, word, sign.toLowerCase()]) expect(ranked(q, [...skills, { name: 'x' }])).toHaveLength(6);
});

test('the letter c does not find C++ and C#', () => {
  const skills = [{ name: 'c-expert' }, { name: 'modern', description: 'C++20 and C#' }, { name: 'cpp-expert' }];
  expect(ranked('c', skills)).toEqual(['c-expert']);
});

test('words of next.js are found, too', () => {
  const skills = [{ name: 'a', description: 'Routes of Next.js.' }];
  for (const q of ['next js', 'next.js routes', 'js']) expect(ranked(q, skills)).toEqual(['a']);
});

test('a host name is no framework', () => {
  expect(ranked('dotnet', [{ name: 'a', description: 'See example.net or .network' }])).toEqual([]);
});

test.each([
  'How do I merge PDFs?',
  'I want to merge my PDFs',
  'a skill that merges PDFs',
  'please help me with merging these pdfs',
])('stop words of a question do not count: %s', (q) => {
  expect(ranked(q, [{ name: 'pdf-merge' }, { name: 'how-to', description: 'I want to help you' }])).toEqual([
    'pdf-merge',
  ]);
});

test('a query of stop words only finds them', () => {
  const skills = [{ name: 'a', description: 'what to do' }, { name: 'b' }];
  expect(ranked('what to do', skills)).toEqual(['a']);
});

test('a name with a stop word comes first when it is typed exactly', () => {
  const skills = [
    { name: 'architect', stars: 90_000 },
    { name: 'the-architect' },
    { name: 'write' },
    { name: 'how-to-write' },
  ];
  expect(ranked('the architect', skills)[0]).toBe('the-architect');
  expect(ranked('how-to-write', skills)[0]).toBe('how-to-write');
});

test.each([
  ['creating', 'creates'],
  ['extraction', 'extracting'],
  ['databases', 'database'],
  ['PDFs', 'pdf'],
  ['planning', 'plan'],
  ['queries', 'query'],
])('%s finds a skill with the form %s, after one with the same word', (q, form) => {
  const skills = [{ name: 'form', description: form }, { name: 'same', description: q }, { name: 'none' }];
  expect(ranked(q, skills)).toEqual(['same', 'form']);
});

test('a form ranks before a longer word, and both before none', () => {
  const skills = [
    { name: 'a', description: 'testament' },
    { name: 'b', description: 'tests' },
    { name: 'c', description: 'test' },
  ];
  expect(ranked('test', skills)).toEqual(['c', 'b', 'a']);
});

test('words of other languages are not stemmed', () => {
  expect(
    ranked('création', [
      { name: 'a', description: 'créations' },
      { name: 'b', description: 'créa' },
    ]),
  ).toEqual(['a']);
});

test('a skill with most words of a question is found where none has all of them', () => {
  const skills = [...OTHERS, { name: 'pptx', description: 'Presentations from an outline' }];
  expect(ranked('turn an outline into presentations for investors', skills)).toEqual(['pptx']);
});

test('skills with more words of a question rank first', () => {
  const skills = [
    ...OTHERS,
    { name: 'a', description: 'Charts' },
    { name: 'b', description: 'Charts and spreadsheets' },
    { name: 'c', description: 'Charts, spreadsheets, formulas' },
  ];
  expect(ranked('spreadsheets with charts, formulas, macros', skills)).toEqual(['c', 'b', 'a']);
});

test('a rare word weighs more than a frequent one', () => {
  const skills = [...OTHERS, { name: 'a', description: 'Create' }, { name: 'b', description: 'Podcasts' }];
  expect(ranked('create podcasts', skills)[0]).toBe('b');
});

test('where a skill has all words, those with most of them are left out', () => {
  const skills = [{ name: 'a', description: 'charts and tables' }, { name: 'charts' }];
  expect(ranked('charts tables', skills)).toEqual(['a']);
});

test('a filter does not change whether most words are enough', () => {
  const skills = [
    { name: 'a', author: 'ann', description: 'charts' },
    { name: 'b', author: 'bo', description: 'charts and tables' },
  ];
  expect(ranked('charts tables', skills, { author: 'ann' })).toEqual([]);
  expect(ranked('charts tables', skills, { author: 'bo' })).toEqual(['b']);
});

test('a well-known skill ranks before an unknown one of the same match', () => {
  const skills = [{ name: 'presentation-a' }, { name: 'presentation-b', stars: 20_000 }];
  expect(ranked('presentation', skills)).toEqual(['presentation-b', 'presentation-a']);
});

test('a very well-known skill ranks before an unknown one with a better match', () => {
  const skills = [
    { name: 'my-presentation-kit' },
    { name: 'pptx', description: 'Presentation creation', stars: 20_000 },
  ];
  expect(ranked('presentation', skills)).toEqual(['pptx', 'my-presentation-kit']);
});

test('no number of stars goes before the exact name', () => {
  const skills = [
    { name: 'presentation-builder', tags: ['presentation'], description: 'Presentation', stars: 900_000_000 },
    { name: 'presentation' },
  ];
  expect(ranked('presentation', skills)).toEqual(['presentation', 'presentation-builder']);
});

test('stars do not lift a skill whose words only begin with the query', () => {
  const skills = [
    { name: 'code-excellence', stars: 90_000 },
    { name: 'xlsx', tags: ['excel'], stars: 90_000 },
  ];
  expect(ranked('excel', skills)).toEqual(['xlsx', 'code-excellence']);
});

test('a typo never ranks before a whole word, whatever the stars', () => {
  const skills = [
    { name: 'from', stars: 900_000 },
    { name: 'a', description: 'form' },
  ];
  expect(ranked('form', skills)).toEqual(['a']);
});

test('more whole words come before typos, however rare the misspelled word is', () => {
  const engine = createEngine([
    { name: 'a', description: 'kubernetas', stars: 90_000 },
    { name: 'b', description: 'deploy staging kubernetas' },
    { name: 'c', description: 'depoly stagin kubernetes' },
    ...Array.from({ length: 50 }, (_, at) => ({ name: `deploy-${at}`, description: 'staging' })),
    { name: 'kubernetes', description: 'unrelated' },
  ]);
  const { rows } = engine.find({ q: 'kubernetes deploy staging', skip: 0 });
  expect(rows[0]).toBe(1);
});

test('where most words are enough, a typo comes after a whole word', () => {
  const engine = createEngine([
    { name: 'a', description: 'terraforn modules', stars: 90_000 },
    { name: 'b', description: 'deploy the service' },
  ]);
  const { rows } = engine.find({ q: 'terraform deploy my service everywhere tonight', skip: 0 });
  expect(Array.from(rows)).toEqual([1, 0]);
});
