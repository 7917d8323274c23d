import { expect, test } from '@jest/globals';
import { findIssues } from './validity.ts';

test.each([
  ['a', []],
  ['pdf-tools-2', []],
  ['a'.repeat(64), []],
  ['a'.repeat(65), ['name_too_long']],
  ['PDF', ['name_characters']],
  ['pdf tools', ['name_characters']],
  ['pdf_tools', ['name_characters']],
  ['über', ['name_characters']],
  ['-pdf', ['name_hyphens']],
  ['pdf-', ['name_hyphens']],
  ['pdf--tools', ['name_hyphens']],
  ['-PDF', ['name_characters', 'name_hyphens']],
  ['語'.repeat(65), ['name_too_long', 'name_characters']],
  ['😀'.repeat(64), ['name_characters']],
])('the name %s breaks these rules of the Agent Skills specification: %j', (name, issues) =>
  expect(findIssues(name, 'Text.', null)).toEqual(issues),
);

test.each([
  ['', null, ['description_missing']],
  ['d'.repeat(1_024), 'c'.repeat(500), []],
  ['😀'.repeat(1_024), '😀'.repeat(500), []],
  ['d'.repeat(1_025), null, ['description_too_long']],
  ['d', 'c'.repeat(501), ['compatibility_too_long']],
  ['😀'.repeat(1_025), '😀'.repeat(501), ['description_too_long', 'compatibility_too_long']],
])('description and compatibility are measured in code points (case %#)', (description, compatibility, issues) => {
  expect(findIssues('a', description, compatibility)).toEqual(issues);
});
