import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../harness/api.ts';
import { COMMANDS, createRecords, type Row } from './commands.ts';
import { FleetProgram, HAS_TERMINAL, type Outcome } from './fleet-program.ts';

const api = new Api();
let program: FleetProgram;
beforeAll(async () => {
  await api.open();
  program = new FleetProgram({ FLEET_URL: api.baseUrl, FLEET_API_KEY: api.apiKey });
}, 180_000);
afterAll(async () => {
  program?.close();
  await api.close();
}, 180_000);

if (!HAS_TERMINAL) console.info('There is no /usr/bin/script. Omitted: fleet on a terminal');

const RUNS = [
  ['on a pipe', 'pipe', false, []],
  ['on a pipe with --json', 'pipe-json', false, ['--json']],
  ...(HAS_TERMINAL
    ? ([
        ['on a terminal', 'pty', true, []],
        ['on a terminal with --json', 'pty-json', true, ['--json']],
      ] as const)
    : []),
] as const;

// The runs have records of their own, so that they can run at once.
test.concurrent.each(RUNS)('every command prints data on stdout only, %s', async (_title, name, isTerminal, more) => {
  const records = await createRecords(api, name);
  for (const row of COMMANDS) {
    const args = [...row.args(records), ...(row.shape === 'text' ? [] : more)];
    // A terminal has no end of input but Ctrl-D.
    const input = isTerminal && row.input !== undefined ? `${row.input}\x04` : row.input;
    const outcome = await program.run(args, { isTerminal, input });
    const problems = problemsOf(row, outcome, more.length > 0, row.shows?.(records) ?? '');
    if (outcome.code !== (row.code ?? 0)) problems.push(`exit code ${outcome.code}`);
    if (problems.length > 0) throw new Error(JSON.stringify({ args, problems, ...outcome }, null, 2));
    expect(problems).toEqual([]);
  }
});

function problemsOf({ shape }: Row, { stdout, stderr }: Outcome, isJson: boolean, shown: string): string[] {
  const data = withoutStyles(stdout);
  const problems: string[] = [];
  if (hasControls(data)) problems.push('stdout has controls');
  if (isJson && shape !== 'text') {
    if (stderr !== '') problems.push('something is on stderr');
    const values = shape === 'stream' ? data.trimEnd().split('\n') : [data];
    if (!values.every(isJsonText)) problems.push('stdout is not JSON');
    if (shape === 'list' && !data.startsWith('[')) problems.push('stdout is not an array');
  } else if (!data.includes(shown)) problems.push(`${shown} is not shown`);
  if (/error/i.test(stderr)) problems.push('an error is on stderr');
  return problems;
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function withoutStyles(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is about them.
  return text.replace(/\x1b\[\d+m/g, '');
}

function hasControls(text: string): boolean {
  return /(?![\n\t])\p{Cc}/u.test(text);
}
