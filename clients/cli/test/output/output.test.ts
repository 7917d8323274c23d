import type { Task } from '@agent-fleet/sdk';
import { expect, test } from '@jest/globals';
import { taskLines } from '../../src/commands/tasks/render.ts';
import type { Context } from '../../src/context.ts';
import { Output, type OutputOptions } from '../../src/output/output.ts';
import type { Column } from '../../src/output/table.ts';

const ROWS = [
  { id: '1', name: 'first', deep: { value: 1, none: null } },
  { id: '2', name: '\x1b[31mevil', deep: { value: 2, none: null } },
];
type Row = Pick<(typeof ROWS)[number], 'id' | 'name'>;
const COLUMNS: Column<Row>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name },
];
const ESCAPE = '\x1b[';

interface Given extends Partial<Omit<OutputOptions, 'stdout' | 'stderr'>> {
  /** The width of the terminal; without one there is none. */
  columns?: number;
}

function open({ columns, env = {}, ...options }: Given = {}) {
  const stream = () => {
    const written: string[] = [];
    const target = { write: (text: string) => written.push(text), ...(columns && { isTTY: true, columns }) };
    return { target: target as unknown as NodeJS.WriteStream, read: () => written.splice(0).join('') };
  };
  const [stdout, stderr] = [stream(), stream()];
  const out = new Output({ ...options, env, stdout: stdout.target, stderr: stderr.target });
  return { out, stdout: stdout.read, stderr: stderr.read };
}

test('a list is a table for people, an array in JSON, and ids with --quiet', () => {
  const people = open();
  people.out.list(ROWS, COLUMNS, 'none');
  expect(people.stdout()).toBe('ID  NAME\n1   first\n2   ␛[31mevil\n');
  const json = open({ json: true });
  json.out.list(ROWS, COLUMNS, 'none');
  expect(JSON.parse(json.stdout())).toEqual(ROWS);
  const quiet = open({ quiet: true });
  quiet.out.list(ROWS, COLUMNS, 'none');
  expect(quiet.stdout()).toBe('1\n2\n');
});

test('an empty list prints nothing on stdout but an empty array in JSON', () => {
  const people = open();
  people.out.list([], COLUMNS, 'Nothing here.');
  expect([people.stdout(), people.stderr()]).toEqual(['', 'Nothing here.\n']);
  const json = open({ json: true });
  json.out.list([], COLUMNS, 'Nothing here.');
  expect([json.stdout(), json.stderr()]).toEqual(['[]\n', '']);
});

test('--json=fields selects, also within a field, and names the fields there are', () => {
  const { out, stdout } = open({ json: ['id', 'deep.value', 'deep.none.more'] });
  out.list(ROWS, COLUMNS, 'none');
  expect(JSON.parse(stdout())[1]).toEqual({ id: '2', 'deep.value': 2, 'deep.none.more': null });
  for (const name of ['nothing', 'deep.nothing', 'toString', '__proto__', '']) {
    expect(() => open({ json: [name] }).out.record(ROWS[0] as object, () => [])).toThrow(
      expect.objectContaining({ exitCode: 2, hint: expect.stringContaining('id, name, deep') }),
    );
  }
});

test('JSON is one line in a pipe and indented on a terminal', () => {
  const pipe = open({ json: true });
  pipe.out.record({ id: '1' }, () => []);
  expect(pipe.stdout()).toBe('{"id":"1"}\n');
  const terminal = open({ json: true, columns: 80 });
  terminal.out.record({ id: '1' }, () => []);
  expect(terminal.stdout()).toBe('{\n  "id": "1"\n}\n');
  const stream = open({ json: true, columns: 80 });
  stream.out.line({ id: '1' }, () => '');
  expect(stream.stdout()).toBe('{"id":"1"}\n');
});

test.each<[Given, boolean]>([
  [{ columns: 80 }, true],
  [{}, false],
  [{ columns: 80, env: { NO_COLOR: '1' } }, false],
  [{ columns: 80, env: { NO_COLOR: '' } }, true],
  [{ columns: 80, env: { TERM: 'dumb' } }, false],
  [{ columns: 80, color: false }, false],
  [{ env: { CLICOLOR_FORCE: '1' } }, true],
  [{ env: { CLICOLOR_FORCE: '0' } }, false],
  [{ env: { CLICOLOR_FORCE: '1', NO_COLOR: '1' } }, false],
  [{ env: { CLICOLOR_FORCE: '1' }, color: false }, false],
  [{ columns: 80, env: { CLICOLOR_FORCE: '1' }, json: true }, false],
])('%j: colours %s', (given, expected) => {
  const { out, stdout, stderr } = open(given);
  out.list([{ id: '1', name: 'first' }], COLUMNS, 'none');
  out.failure({ exitCode: 1, code: 'x', message: 'm', hint: 'h' });
  expect(stdout().includes(ESCAPE)).toBe(expected);
  expect(stderr().includes(ESCAPE)).toBe(expected);
});

test('an error is two lines for people and one object in JSON', () => {
  const failure = {
    exitCode: 1 as const,
    code: 'not_found',
    message: 'no\x1b[2J',
    hint: 'look',
    status: 404,
    requestId: 'r',
  };
  const people = open();
  people.out.failure(failure);
  expect(people.stderr()).toBe('Error: no␛[2J (request r)\nlook\n');
  const json = open({ json: true });
  json.out.failure(failure);
  const { message, ...rest } = JSON.parse(json.stderr());
  expect({ message, rest }).toEqual({
    message: 'no\x1b[2J',
    rest: { error: 'not_found', hint: 'look', status: 404, request_id: 'r' },
  });
});

test('notes are for people only', () => {
  for (const given of [{ json: true as const }, { quiet: true }]) {
    const { out, stderr } = open(given);
    out.note('by the way');
    expect(stderr()).toBe('');
  }
});

test('progress is shown on a terminal after a second, and cleared before anything else', async () => {
  const terminal = open({ columns: 80 });
  await terminal.out.whileWaiting('Waiting', Promise.resolve());
  expect(terminal.stderr()).toBe('');
  await terminal.out.whileWaiting('Waiting', new Promise((resolve) => setTimeout(resolve, 1_200)));
  expect(terminal.stderr()).toBe('\r\x1b[2KWaiting (1 s)\r\x1b[2K');
  for (const given of [{}, { columns: 80, json: true as const }, { columns: 80, env: { TERM: 'dumb' } }]) {
    const { out, stderr } = open(given);
    out.progress('Waiting');
    expect(stderr()).toBe('');
  }
});

test('a text for another program is the same on a pipe, and harmless on a terminal', () => {
  const patch = '+a\r\n+\x1b[31mb\n';
  const pipe = open();
  pipe.out.exact(patch);
  expect(pipe.stdout()).toBe(patch);
  const terminal = open({ columns: 80 });
  terminal.out.exact(patch);
  expect(terminal.stdout()).toBe('+a\n+␛[31mb\n');
  const json = open({ json: true });
  json.out.exact(patch);
  expect(JSON.parse(json.stdout())).toBe(patch);
});

test.each(['pending', 'running', 'completed'] as const)(
  'a %s task names its expiry only while it is pending',
  (status) => {
    const unset = { error: null, progress: null, input: null, result: null, usage: null, cost: null };
    const times = { created_at: '2026-11-21T09:30:00.000Z', expires_at: '2026-11-22T09:30:00.000Z' };
    const lines = taskLines({ out: open().out } as Context)({ ...unset, ...times, status } as Task);
    expect(lines.some((line) => /^expires .*2026-11-22/.test(line))).toBe(status === 'pending');
  },
);
