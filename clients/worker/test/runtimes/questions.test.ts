import { describe, expect, test } from '@jest/globals';
import {
  answersOf,
  approvalOptions,
  askQuestions,
  decisionOf,
  type Question,
} from '../../src/runtimes/session/questions.ts';

const database: Question = {
  question: 'Which database?',
  header: 'Database',
  options: [
    { label: 'SQLite', description: 'a file' },
    { label: 'Redis', description: '' },
  ],
  multiple: false,
};
const name: Question = { question: 'Which name?', header: 'Name', options: [], multiple: false };
const parts: Question = { ...database, question: 'Which parts?', header: 'Parts', multiple: true };
const answer = { option_ids: null, text: null, values: null };

describe('one question', () => {
  test('is a request of its kind with the options, and text is an answer beside them', () => {
    expect(askQuestions('1', [parts])).toMatchObject({ kind: 'question', title: 'Which parts?', multiple: true });
    expect(answersOf([database], { ...answer, option_ids: ['option_2'] })).toEqual([['Redis']]);
    expect(answersOf([database], { ...answer, option_ids: ['option_1'], text: 'or MySQL' })).toEqual([
      ['SQLite', 'or MySQL'],
    ]);
    expect(answersOf([name], null)).toBeUndefined();
  });
});

test('several questions are a form, in which each with options also takes a text', () => {
  const questions = [database, name, parts];
  const { kind, schema, text } = askQuestions('1', questions);
  expect(kind).toBe('form');
  expect(text).toContain('- SQLite: a file');
  expect(Object.keys(schema?.properties ?? {})).toEqual([
    'question_1',
    'question_1_other',
    'question_2',
    'question_3',
    'question_3_other',
  ]);
  const values = { question_1_other: 'MySQL', question_2: 'shop', question_3: ['SQLite', 'Redis'] };
  expect(answersOf(questions, { ...answer, values })).toEqual([['MySQL'], ['shop'], ['SQLite', 'Redis']]);
});

test('an approval is denied unless its answer allows it', () => {
  const options = approvalOptions('Allow npm test *');
  expect(options.map(({ role }) => role)).toEqual(['allow', 'allow_always', 'deny']);
  expect(decisionOf(options, { ...answer, option_ids: ['allow_always'] }).role).toBe('allow_always');
  expect(decisionOf(options, { ...answer, option_ids: ['deny'], text: 'not now' })).toEqual({
    role: 'deny',
    text: 'not now',
  });
  expect(decisionOf(options, null)).toEqual({ role: 'deny', text: expect.stringContaining('Nobody') });
  expect(decisionOf(options, { ...answer, option_ids: ['other'] }).role).toBe('deny');
});
