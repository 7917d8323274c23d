import type { LogEntry } from '@agent-fleet/sdk';
import { describe, expect, test } from '@jest/globals';
import { type InputRequest, requestLines } from '../../src/commands/conversation/request-lines.ts';
import { entryLines } from '../../src/commands/conversation/transcript.ts';
import { type Line, Output } from '../../src/output/output.ts';

const STREAM = { isTTY: false } as NodeJS.WriteStream;
const out = new Output({ env: {}, stdout: STREAM, stderr: STREAM });
const shown = (lines: readonly Line[]) => out.toTexts(lines).join('\n');

const AT = '2026-11-21T09:31:04.000Z';
const entry = (type: LogEntry['type'], data: object | null, text = ''): LogEntry => {
  return { id: 1, at: AT, level: 'info', stream: 'agent', type, text, data: data as LogEntry['data'] };
};

describe('an entry of the log is shown', () => {
  const CASES: [LogEntry['type'], object | null, string][] = [
    ['text', { markdown: '## Done\n* **one**' }, '\n  Done\n  • one'],
    ['thinking', { text: 'a\nb\nc\nd\n' }, '    a\n    b\n    c\n    … 1 more line'],
    ['tool_call', { call_id: 'c', name: 'Bash', input: {}, summary: 'npm\ntest' }, '> Bash  npm test'],
    ['tool_result', { is_error: false, duration_ms: 412, output: '' }, '  ok, 412 ms'],
    [
      'tool_result',
      { is_error: true, exit_code: 2, output: 'no\n', truncated: true, bytes: 90_000 },
      '  failed, exit code 2\n    no\n    (cut; 90000 bytes in all)',
    ],
    ['file_edit', { path: 'a.ts', added: 3, removed: 0, diff: '' }, '± a.ts  +3 -0'],
    ['plan', { items: [{ text: 'Read', state: 'completed' }, { text: 'Write' }] }, '  [x] Read\n  [ ] Write'],
    [
      'usage',
      { input_tokens: 12, output_tokens: 3, cost: { amount: 0.5 } },
      'Used  {"input_tokens":12,"output_tokens":3,"cost":{"amount":0.5}}',
    ],
    ['message', { by: { id: 'u', name: 'ada' }, text: 'In French\nplease' }, 'ada says\n  In French\n  please'],
    ['input', { request_id: 'r', state: 'answered' }, 'An input request is answered'],
    ['session', { runtime: 'codex', id: 's' }, 'Session  codex    s'],
    ['log', null, `${AT}  info   agent   plain`],
  ];

  test.each(CASES)('of the type %s', (type, data, text) => {
    expect(shown(entryLines(entry(type, data, 'plain')))).toBe(text);
  });

  test('whatever its fields are', () => {
    for (const [type] of CASES) {
      for (const value of [{}, [], 1, 'x', null, { name: 1 }, [null, 1]]) {
        const names =
          'markdown text name summary output path added items by state runtime cost duration_ms input_tokens';
        const data = Object.fromEntries(names.split(' ').map((name) => [name, value]));
        expect(typeof shown(entryLines(entry(type, data)))).toBe('string');
      }
    }
  });
});

const REQUEST: InputRequest = {
  ...{ id: 'r1', agent_id: 'a1', task_id: 't1', attempt: 1, key: 'k', kind: 'approval', title: 'Run a command' },
  ...{ text: null, tool: null, options: [], multiple: false, allow_text: true, input_editable: false, schema: null },
  ...{ default: null, created_at: AT, expires_at: '2026-11-22T09:31:04.000Z', state: 'open', answer: null },
};

test('an approval shows all of what would run, each option, and how to answer', () => {
  const input = { command: 'git push', env: { A: '1' } };
  const options = [
    { id: 'allow', label: 'Allow', description: 'Once', role: 'allow' as const },
    { id: 'deny', label: 'Deny', description: null, role: 'allow' as const },
  ];
  const lines = shown(requestLines({ ...REQUEST, tool: { name: 'Bash', input, digest: 'sha256:00' }, options }));
  expect(lines).toContain('\n  tool Bash, sha256:00\n  │ {\n  │   "command": "git push",\n  │   "env": {');
  expect(lines).toContain('\n  allow  Allow: Once\n  deny   Allow: Deny\n');
  expect(lines).toMatch(
    /Answer it until 2026-11-22T09:31:04.000Z: fleet tasks answer a1\/t1 --request r1 --option '…'$/,
  );
});

test('a form shows its fields', () => {
  const properties = { branch: { type: 'string', enum: ['a', 'b'], title: 'Branch' }, force: { type: 'boolean' } };
  const lines = shown(requestLines({ ...REQUEST, kind: 'form', schema: { properties, required: ['branch'] } }));
  expect(lines).toContain('\n  branch (a, b)  Branch\n  force (boolean; optional)  \n');
});

test('no text of an agent acts on a terminal, leaves its margin, or looks like another', () => {
  const hostile = 'ok\x1b[2J\u202e\nApproval: Read\r\nAnswer it: rm';
  const tool = { name: 'B\u0430sh\u200b', input: { [hostile]: 'a\u200bb\u{e0041}' }, digest: 'sha256:00' };
  const options = [{ id: 'allow', label: hostile, description: hostile, role: 'allow' as const }];
  const text = shown(requestLines({ ...REQUEST, title: hostile, text: hostile, tool, options }));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is about them.
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\u200b\u202e]/);
  expect(text).toContain('tool B\\u{430}sh\\u{200b}, sha256:00');
  expect(text).toContain('"a\\u200bb\\udb40\\udc41"');
  const own = text.split('\n').filter((line) => !line.startsWith('  '));
  expect(own).toEqual([expect.stringMatching(/^Approval: ok/), expect.stringMatching(/^Answer it until/)]);
});
