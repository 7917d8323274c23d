import { expect, test } from '@jest/globals';
import { readAgentResult } from '../../src/pages/task/agent-result.ts';
import { toContinuation } from '../../src/pages/task/task-record.ts';
import { NO_OPTIONS, optionErrors, toAgentOptions, toOptionFields } from '../../src/tasks/task-draft.ts';
import { costText, dollars, spentParts } from '../../src/text/numbers.ts';
import { TASK } from './task.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;

test.each([
  [0, '$0.00'],
  [0.000_001, '$0.000001'],
  [0.000_045, '$0.000045'],
  [0.0081, '$0.0081'],
  [0.0123, '$0.0123'],
  [0.5, '$0.5000'],
  [1, '$1.00'],
  [1_234.5, '$1,234.50'],
])('writes the amount %d as %s', (amount, text) => {
  expect(dollars(amount)).toBe(text);
});

test('says what an attempt has used, as far as it is known', () => {
  const usage = { input_tokens: 12_345, cached_input_tokens: 10_000, output_tokens: 1, reasoning_tokens: 0 };
  const cost = { amount: 0.5, currency: 'USD' as const, estimated: true };
  expect(spentParts({ model: 'm', usage, cost })).toEqual(['m', '12,345 tokens in (10,000 cached), 1 out', '$0.5000']);
  expect(spentParts({ model: null, usage: null, cost: null })).toEqual([]);
  expect(costText(cost)).toBe('$0.5000 (estimated)');
  expect(costText({ ...cost, estimated: false })).toBe('$0.5000');
});

test('reads and writes the options of a task as they are', () => {
  const { skills, workspace, model, output_schema, max_cost } = TASK;
  const options = toAgentOptions(TASK);
  expect(optionErrors(options)).toEqual({});
  expect(toOptionFields(options)).toEqual({
    ...{ skills, model, output_schema, max_cost },
    workspace: { repository: workspace?.repository },
  });
  expect(toOptionFields(NO_OPTIONS)).toEqual({});
});

test.each([
  ['skills', 'code-review sha256:1'],
  ['skills', `code-review\nother ${DIGEST} more`],
  ['ref', 'main'],
  ['outputSchema', '{'],
  ['outputSchema', '[]'],
  ['outputSchema', 'true'],
  ['maxCost', '0'],
  ['maxCost', '-1'],
  ['maxCost', 'much'],
  ['maxCost', '1,5'],
] as const)('refuses %s: %j', (name, text) => {
  const errors = optionErrors({ ...NO_OPTIONS, [name]: text });
  expect(Object.keys(errors)).toEqual([name === 'ref' ? 'repository' : name]);
});

test('continues a task with its options, and without what belongs to its own run', () => {
  const { skills, workspace, model, output_schema, max_cost, tags, metadata, priority } = TASK;
  const continuation = toContinuation(TASK, 'Go on');
  expect(continuation).toMatchObject({
    ...{ message: 'Go on', continue_of: TASK.id },
    ...{ skills, workspace, model, output_schema, max_cost, tags, metadata, priority },
  });
  for (const name of ['input', 'scheduled_at', 'expires_at', 'retry_of']) expect(continuation).not.toHaveProperty(name);
});

test('reads the parts of an agent result that have the right type', () => {
  const session = { runtime: 'codex', id: 's' };
  expect(
    readAgentResult({
      session,
      text: 'Done',
      turns: '12',
      duration_ms: 5,
      skills: [{ id: 'a', digest: null, verified: 'yes' }, 'b', null, { id: 7 }],
      permission_denials: [{ tool: 'Bash' }, { detail: 'x' }, []],
      changes: {
        ...{ patch: 'diff', patch_truncated: true },
        files: [{ path: 'a', status: 'deleted', added: null, removed: 2 }, { path: 7 }, 'b'],
      },
    }),
  ).toEqual({
    ...{ runtime: 'codex', session: 's', model: undefined, text: 'Done', output: undefined },
    ...{ turns: undefined, durationMs: 5 },
    skills: [{ id: 'a', digest: undefined, isVerified: false }],
    denials: [{ tool: 'Bash', detail: '' }],
    ...{ patch: 'diff', isPatchCut: true },
    files: [{ path: 'a', notes: ['deleted'], added: 0, removed: 2, lines: [] }],
  });
});

test.each([null, undefined, 1, 'text', [], {}, { session: null }, { session: 'codex' }, { session: { runtime: 1 } }])(
  'takes %j for no result of an agent',
  (value) => {
    expect(readAgentResult(value)).toBeUndefined();
  },
);
