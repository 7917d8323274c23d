import { exactJson } from '@agent-fleet/sdk/exact-json';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseAgentFile, toAgentFile } from '../../src/agent-files/agent-file.ts';
import { type Content, changeLines, changesOf } from '../../src/agent-files/content.ts';

const parse = (...lines: string[]) => parseAgentFile(lines.join('\n'), 'reviewer');

/** Texts that YAML and editors treat in ways of their own. */
const awkward = fc.oneof(
  fc.constantFrom('yes', 'null', '~', '1e3', '0x1f', '1.0', '2026-12-01', '---', '- a', 'a: b', 'a #b', "'", '"', '|'),
  fc.constantFrom(
    '',
    ' ',
    '\n',
    '\n\n',
    'a\n',
    '\na',
    ' a',
    'a ',
    'a\r\nb',
    'a\rb',
    '\ttab',
    '\u2028',
    '\x85',
    '\ufeff',
  ),
  fc.constantFrom(
    '---\nname: x\n---\n',
    '# Title\n\n```\n---\n```',
    '*a',
    '&a',
    '!a',
    '%a',
    '@a',
    '{a}',
    '[a]',
    '<<',
    '\0',
  ),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const number = fc
  .constantFrom('12345678901234567890', '1.0', '-0', '1e2', '0.1000000000000000055', '7')
  .map(exactJson.parse);
const key = awkward.filter((text) => text !== '__proto__');
const json = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, awkward, number, fc.boolean(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
}));
const texts = fc.array(awkward, { maxLength: 3 });
const content = fc.record<Content>(
  {
    description: awkward,
    instructions: fc.oneof(
      awkward,
      fc.array(awkward).map((lines) => lines.join('\n')),
    ),
    model: awkward,
    tags: texts,
    permissions: fc.record(
      { mode: fc.constantFrom(null, 'edit'), allow: texts, ask: texts, deny: texts },
      { noNullPrototype: true },
    ),
    mcp_servers: fc.array(
      fc.record(
        { name: awkward, env: fc.dictionary(key, awkward, { maxKeys: 2, noNullPrototype: true }) },
        { noNullPrototype: true },
      ),
      {
        maxLength: 2,
      },
    ),
    output_schema: fc.dictionary(key, json.value, { maxKeys: 3, noNullPrototype: true }),
    max_concurrency: fc.constantFrom(null, 5),
  },
  { requiredKeys: [], noNullPrototype: true },
);

test('what is written is read as it was, and written the same again', () => {
  fc.assert(
    fc.property(awkward, content, (name, definition) => {
      const text = toAgentFile({ name, type: 'claude' }, definition);
      const read = parseAgentFile(new TextDecoder().decode(Buffer.from(text)), 'file');
      expect(read).toMatchObject({ name, type: 'claude', warnings: [] });
      expect(changesOf(definition, read.content)).toEqual([]);
      expect(toAgentFile({ name, type: 'claude' }, read.content)).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test('a file of Claude Code is read, with a warning for each thing that is not understood', () => {
  const lines = ['---', 'description: Reviews: every change', 'tools: Read, Bash(git add *, git commit *) ,Grep'];
  const read = parse(...lines, 'model: inherit', 'color: red', 'skills: pdf, xlsx', '---', '', 'Review it.', '');
  expect(read).toEqual({
    name: 'reviewer',
    type: 'claude',
    content: {
      ...{ description: 'Reviews: every change', model: null, skills: null, instructions: 'Review it.' },
      permissions: { allow: ['Read(*)', 'Bash(git add *, git commit *)', 'Grep(*)'] },
    },
    warnings: [
      'color is not understood',
      'it has no name, and gets that of the file: reviewer',
      'skills is not understood: it is no list of ids of the registry',
    ],
  });
  const crlf = parseAgentFile('\ufeff---\r\nname: a\r\ntools:\r\n  - Read\r\n---\r\nOne\r\nTwo\r\n', 'x');
  expect(crlf.content).toEqual({ permissions: { allow: ['Read(*)'] }, instructions: 'One\nTwo' });
  const long = parse('---', 'name: a', `description: ${'x'.repeat(501)}`, '---');
  expect(long.content.description).toHaveLength(500);
  expect(long.warnings).toEqual(['description has 501 characters: it is cut to 500']);
});

test.each([
  [['name: a'], 'line 1: it has no front matter'],
  [['---', 'name: a', 'name: b', '---'], 'line 3: its front matter is not YAML: Map keys must be unique'],
  [['---', 'name: a', 'schedules: []', '---'], 'schedules: files cannot have them yet'],
  [['---', 'name: a', 'triggers: []', '---'], 'triggers: '],
  [['---', 'name: a', 'tools: 5', '---'], 'tools: must be a text or a list'],
  [['---', 'name: a', 'tools: Read', 'permissions: {}', '---'], 'tools: permissions.allow'],
  [['---', 'name: a', 'instructions: x', '---', 'y'], 'instructions: '],
])('refuses %j by name', (lines, message) => {
  expect(() => parse(...lines)).toThrow(message);
});

test('instructions are compared line by line', () => {
  const lines = (...changed: string[]) => Array.from({ length: 20 }, (_, at) => changed[at] ?? `${at}`).join('\n');
  const to = `${lines('zero')}\nlast`;
  const changes = changesOf(
    { instructions: lines(), model: 'a', tags: [] },
    { instructions: to, model: 'b', effort: 'low' },
  );
  expect(changeLines(changes).map((line) => (typeof line === 'string' ? line : line.text))).toEqual([
    ...['    ~ model: a -> b', '    + effort: low', '    instructions', '      @@ -1,4 +1,4 @@'],
    ...['      -0', '      +zero', '       1', '       2', '       3'],
    ...['      @@ -18,3 +18,4 @@', '       17', '       18', '       19', '      +last'],
  ]);
  const whole = Array.from({ length: 9_000 }, (_, at) => at);
  expect(changeLines(changesOf({ instructions: whole.join('\n') }, { instructions: whole.join('a\n') }))).toHaveLength(
    18_002,
  );
});
