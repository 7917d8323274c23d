import { optionLabel } from '@agent-fleet/sdk/words';
import { expect, test } from '@jest/globals';
import { answerWords, defaultWords, keyOf, type Option } from '../src/conversations/answers.ts';
import { toFormFields, toFormValues } from '../src/conversations/form-values.ts';
import type { InputRequest } from '../src/frame/open-requests.ts';
import { mixedWord } from '../src/text/safe-text.ts';

const option = (label: string, role: Option['role'], id = label): Option => ({ id, label, role, description: null });
const AT = '2026-11-25T10:00:00.000Z';
const ANSWER = {
  option_ids: ['Allow'],
  text: null,
  values: null,
  tool_digest: null,
  by: { id: 'u', name: 'ada' },
  at: AT,
};
const said = (fields: Partial<InputRequest>) =>
  answerWords({ options: [option('Allow', 'allow')], answer: null, ...fields } as InputRequest);

test.each([
  ['Allow', 'allow', 'Allow'],
  ['allow once', 'allow', 'allow once'],
  ['Deny', 'allow', 'Allow: Deny'],
  ['Yes, always', 'allow_always', 'Always allow: Yes, always'],
  ['Allow Always', 'allow_always', 'Allow Always'],
  ['Allow', 'deny', 'Deny: Allow'],
  ['Allowance', 'other', 'Allowance'],
] as const)('an option %j that is to %s is called %j', (label, role, shown) => {
  expect(optionLabel(option(label, role))).toBe(shown);
});

test('only the first option that allows and the first that denies have a key', () => {
  const options = [option('1', 'other'), option('2', 'allow'), option('3', 'allow'), option('4', 'deny')];
  expect(options.map((one) => keyOf(one, options))).toEqual([undefined, 'a', undefined, 'd']);
});

test('says what became of a request, and by whom', () => {
  expect(said({ state: 'answered', answer: ANSWER })).toBe('Allow, by ada');
  expect(said({ state: 'answered', answer: { ...ANSWER, option_ids: null, text: 'x' } })).toBe('Answered, by ada');
  expect(said({ state: 'expired', answer: { ...ANSWER, by: null } })).toBe('Allow, as nobody answered in time');
  expect(said({ state: 'expired' })).toBe('Expired');
  expect(said({ state: 'withdrawn' })).toMatch('Withdrawn');
  const by = { id: 'u', name: '\u202eada' };
  expect(said({ state: 'answered', answer: { ...ANSWER, by } })).toBe('Allow, by ⟨U+202E⟩ada');
});

test('says what counts when nobody answers', () => {
  const options = [option('Allow', 'allow'), option('No', 'deny')];
  const none = { option_ids: null, text: null, values: null };
  expect(defaultWords({ options, default: { ...none, option_ids: ['No'] } })).toBe('Deny: No');
  expect(defaultWords({ options: [], default: { ...none, text: 'main' } })).toBe('main');
  expect(defaultWords({ options: [], default: { ...none, values: {} } })).toBe('a default answer');
});

test('a form has a field for each property, and sends what was filled in with its type', () => {
  const fields = toFormFields({
    type: 'object',
    required: ['region'],
    properties: {
      region: { type: 'string', oneOf: [{ const: 'eu', title: 'Europe' }] },
      count: { type: 'integer', title: 'How many\u202e', description: '1 to 8', default: 2 },
      ratio: { type: 'number' },
      note: { type: 'string' },
      now: { type: 'boolean' },
      checks: { type: 'array', items: { enum: ['smoke', 'load'] } },
    },
  });
  expect(fields.map(({ label, initial, isRequired }) => [label, initial, isRequired])).toEqual([
    ['Region', '', true],
    ['How many⟨U+202E⟩', 2, false],
    ['Ratio', '', false],
    ['Note', '', false],
    ['Now', false, false],
    ['Checks', [], false],
  ]);
  expect(fields[0]?.choices).toEqual([{ value: 'eu', label: 'Europe' }]);
  expect(fields[5]?.choices?.map(({ value }) => value)).toEqual(['smoke', 'load']);
  const values = { region: 'eu', count: '3', ratio: '', note: '', now: true, checks: ['load'] };
  expect(toFormValues(fields, values)).toEqual({ region: 'eu', count: 3, now: true, checks: ['load'] });
  expect(toFormFields(null)).toEqual([]);
});

test.each([
  ['B\u0430sh', 'U+0430'],
  ['\u0440aypal', 'U+0440'],
  ['git push ori\u03bfn', 'U+03BF'],
  ['c\u0301\u0430t', 'U+0430'],
  ['\ud835\udc1bash', 'U+1D41B'],
])('finds letters that are taken for others in %j', (text, found) => {
  expect(mixedWord(text)).toContain(found);
});

test.each(['git push origin', 'echo привет', 'λ x', 'naïve', 'a/б'])('takes %j as it is', (text) => {
  expect(mixedWord(text)).toBeUndefined();
});
