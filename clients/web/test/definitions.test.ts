import { expect, test } from '@jest/globals';
import type { Definition } from '../src/definitions/definition.ts';
import { changesOf } from '../src/definitions/definition-changes.ts';
import { problemOf, toDefinitionErrors, toDefinitionInput, toDraft } from '../src/definitions/definition-fields.ts';
import { lineDiff } from '../src/patch/line-diff.ts';
import { parsePatch } from '../src/patch/parse-patch.ts';

const DEFINITION: Definition = {
  version: 3,
  description: null,
  instructions: '# Notes\n\nFor users.',
  runtime: 'codex',
  model: null,
  effort: null,
  skills: ['notes', { id: 'style', digest: `sha256:${'ab'.repeat(32)}` }],
  mcp_servers: [
    { name: 'issues', url: 'https://mcp.example', headers: { Authorization: { secret: 'TOKEN', prefix: 'Bearer ' } } },
    { name: 'files', command: 'node', args: ['a b', 'c'], env: { A: 'x=1', B: 'two\nlines' } },
  ],
  permissions: { mode: 'edit', allow: ['Bash(git *)'], ask: [], deny: [] },
  workspace: { repository: 'https://git.example/shop.git', ref: null },
  output_schema: { $ref: '#/x' },
  requires: ['gpu'],
  limits: { timeout_seconds: null, max_attempts: 2, max_turns: null, max_cost: { amount: 2, currency: 'USD' } },
  retry_policy: { strategy: 'fixed', delay_seconds: 1, max_delay_seconds: 1, jitter: 0 },
  max_concurrency: 4,
  budget: { amount: 0, currency: 'USD', period: 'day', time_zone: 'UTC' },
  tags: ['docs'],
  created_at: '2026-11-21T09:40:00.000Z',
  created_by: null,
  note: 'Why',
};

test('what the form does not change is sent as it was', () => {
  const body = toDefinitionInput(toDraft(DEFINITION), DEFINITION);
  const { permissions, limits } = DEFINITION;
  expect(body).toEqual({
    ...{ instructions: DEFINITION.instructions, runtime: 'codex', skills: DEFINITION.skills, requires: ['gpu'] },
    ...{ mcp_servers: DEFINITION.mcp_servers, output_schema: { $ref: '#/x' }, max_concurrency: 4, tags: ['docs'] },
    ...{ retry_policy: DEFINITION.retry_policy, budget: { amount: 0, period: 'day', time_zone: 'UTC' } },
    permissions: { mode: permissions?.mode, allow: permissions?.allow },
    workspace: { repository: 'https://git.example/shop.git' },
    limits: { max_attempts: 2, max_cost: limits?.max_cost },
  });
});

test('secrets of MCP servers are named, not written', () => {
  const before = toDraft(DEFINITION);
  expect(before['mcp_servers.0.headers']).toBe(`Authorization=Bearer ${'$'}{TOKEN}`);
  const draft = { ...before, 'mcp_servers.1.env': `A=x=1\nKEY=${'$'}{THE_KEY}` };
  expect(toDefinitionInput(draft, DEFINITION).mcp_servers?.[1]).toMatchObject({
    env: { A: 'x=1', KEY: { secret: 'THE_KEY' } },
  });
});

test('wrong values are said as one types, and errors of the fleet at their fields', () => {
  expect(problemOf({ path: 'output_schema', label: '', kind: 'json' }, '{"a": }')).toMatch(/^This is not JSON/);
  expect(problemOf({ path: 'max_concurrency', label: '', kind: 'number' }, 'many')).toBe('Must be a number.');
  const errors = [
    { path: 'permissions.allow.1', message: 'must be Tool, or Tool(pattern)' },
    { path: 'mcp_servers.1.command', message: 'must have 1 to 1024 characters' },
    { path: 'budget', message: 'must be an object' },
  ];
  expect(toDefinitionErrors(toDraft(DEFINITION), errors)).toEqual({
    'permissions.allow': 'Line 2 must be Tool, or Tool(pattern).',
    'mcp_servers.1.command': 'It must have 1 to 1024 characters.',
    'budget.amount': 'It must be an object.',
  });
});

test('versions are compared field by field, and texts by lines', () => {
  const after = { ...DEFINITION, version: 4, model: 'opus', requires: [], note: 'Other' };
  expect(changesOf(DEFINITION, after).map(({ path, diff }) => [path, diff.split('\n').slice(1)])).toEqual([
    ['Labels that a worker must have', ['-gpu']],
    ['Model', ['+opus']],
  ]);
  const before = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  const changed = before.with(10, 'changed').toSpliced(18, 1).toSpliced(0, 0, 'first');
  const { diff, added, removed } = lineDiff(before.join('\n'), changed.join('\n'));
  expect([added, removed]).toEqual([2, 2]);
  expect(diff.split('\n').filter((line) => /^[@+-]/.test(line))).toEqual([
    ...['@@ -1,3 +1,4 @@', '+first', '@@ -8,7 +9,7 @@', '-line 10', '+changed', '@@ -16,5 +17,4 @@', '-line 18'],
  ]);
  expect(parsePatch(diff)[0]?.lines.find(({ text }) => text === '+changed')).toMatchObject({ after: 12 });
  expect(lineDiff('a', 'a').diff).toBe('');
});
