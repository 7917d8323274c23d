import { expect, test } from '@jest/globals';
import { createEngine, type SkillParts } from './sample-skills.ts';

/** Returns the names that a query finds, in order; the skills are not given in the expected order. */
function ranked(q: string, skills: SkillParts[], order?: 'asc'): string[] {
  const { rows } = createEngine(skills).find({ q, order, skip: 0 });
  return [...rows].map((row) => skills[row]?.name ?? '?');
}

test('relevance ranks exact names first, then names that begin with the query, names with its words, and the rest', () => {
  const skills = [
    { name: 'notes', description: 'About code review.', stars: 900 },
    { name: 'checklist-code-review', stars: 90 },
    { name: 'code-review-checklist', stars: 9 },
    { name: 'Code_Review' },
  ];
  const wanted = ['Code_Review', 'code-review-checklist', 'checklist-code-review', 'notes'];
  expect(ranked('code review', skills)).toEqual(wanted);
  expect(ranked('CODE-REVIEW', skills)).toEqual(wanted);
  expect(ranked('code review', skills, 'asc')).toEqual(wanted.toReversed());
});

test('relevance counts a display name as a name', () => {
  const skills = [
    { name: 'pdf-tools-extended', stars: 5 },
    { name: 'x1', display_name: 'PDF Tools' },
  ];
  expect(ranked('pdf tools', skills)).toEqual(['x1', 'pdf-tools-extended']);
});

test('relevance ranks a name with the same words in another order before names with more words', () => {
  const skills = [{ name: 'the-review-of-code', stars: 90 }, { name: 'review-code' }];
  expect(ranked('code review', skills)).toEqual(['review-code', 'the-review-of-code']);
});

test('relevance ranks tags before author and repository, and these before the description', () => {
  const skills = [
    { name: 'd', description: 'linux', stars: 90 },
    { name: 'c', repo: 'x/linux', stars: 90 },
    { name: 'b', author: 'linux', stars: 90 },
    { name: 'a', tags: ['linux'] },
  ];
  expect(ranked('linux', skills)).toEqual(['a', 'c', 'b', 'd']);
});

test('relevance counts a word in the name more than one in both tags and description', () => {
  const skills = [{ name: 'a', tags: ['linux'], description: 'linux', stars: 90 }, { name: 'new-linux' }];
  expect(ranked('linux', skills)).toEqual(['new-linux', 'a']);
});

test('relevance ranks a whole word before one that begins with it', () => {
  const skills = [
    { name: 'a', description: 'containers', stars: 9 },
    { name: 'b', description: 'container' },
  ];
  expect(ranked('container', skills)).toEqual(['b', 'a']);
});

test('typos match only if the query has no match without them', () => {
  const skills = [
    { name: 'a', description: 'kubernotes and helm', stars: 9 },
    { name: 'b', description: 'kubernetes' },
    { name: 'c', tags: ['kubernetes', 'helm'] },
  ];
  expect(ranked('kubernotes', skills)).toEqual(['a']);
  expect(ranked('kubernetes helm', skills)).toEqual(['c']);
  expect(ranked('kubernotes helm', skills)).toEqual(['a']);
  expect(ranked('kubernates helm', skills)).toEqual(['c', 'a']);
  expect(ranked('kubernetes hellm', skills)).toEqual(['c']);
});

test('relevance breaks ties by stars, downloads and name; an unknown count is less than 0', () => {
  const skills = [
    { name: 'tie-f' },
    { name: 'tie-e', stars: 0 },
    { name: 'tie-d', stars: 5, downloads: 1 },
    { name: 'tie-c', stars: 5, downloads: 2 },
    { name: 'tie-b', stars: 5, downloads: 2 },
    { name: 'tie-a', stars: 6 },
  ];
  expect(ranked('tie', skills)).toEqual(['tie-a', 'tie-c', 'tie-b', 'tie-d', 'tie-e', 'tie-f']);
});

const skills = [{ name: 'go-testing' }, { name: 'google-tests' }, { name: 'codereview' }, { name: 'code-review' }];

test('the last word of a query, or one of three letters, matches words that begin with it', () => {
  expect(ranked('testing go', skills)).toEqual(['go-testing', 'google-tests']);
  expect(ranked('tests go', skills)).toEqual(['go-testing', 'google-tests']);
  expect(ranked('go tes', skills)).toEqual(['go-testing']);
  expect(ranked('goo tes', skills)).toEqual(['google-tests']);
  expect(ranked('g', skills).toSorted()).toEqual(['go-testing', 'google-tests']);
});

test.each([
  ['a missing letter', 'tsting'],
  ['an extra letter', 'testiing'],
  ['a wrong letter', 'tasting'],
  ['a wrong first letter', 'resting'],
  ['a missing first letter', 'esting'],
  ['an extra first letter', 'atesting'],
  ['an extra last letter', 'testingg'],
  ['swapped letters', 'tetsing'],
  ['swapped first letters', 'etsting'],
])('a word of a query may have one typo: %s', (_, q) => expect(ranked(q, skills)).toEqual(['go-testing']));

test('a word of a query may not have two typos, nor one in three letters', () => {
  expect(ranked('tastng', skills)).toEqual([]);
  expect(ranked('gos', skills)).toEqual([]);
  expect(ranked('og', skills)).toEqual([]);
});

test('two words of a name written as one match only as a whole', () => {
  expect(ranked('codereview', skills)).toEqual(['codereview', 'code-review']);
  expect(ranked('coder', skills)).toEqual(['codereview']);
});
