import { test } from '@jest/globals';
import type { Api } from '../harness/api.ts';
import { COMMANDS, createRecords, fill, type Shape, toArgs } from './commands.ts';
import { type FleetProgram, HAS_TERMINAL, type Outcome } from './fleet-program.ts';

/** Of some fifty programs, each started anew. */
const TIMEOUT_MS = 300_000;

/** Where stdout goes, and whether `--json` is given. */
export type Run = 'pipe' | 'pipe --json' | 'terminal' | 'terminal --json';

/** Runs all commands, one after the other, each run with records of its own. */
export function specifyCommands(api: Api, program: FleetProgram, runs: readonly Run[]): void {
  const possible = runs.filter((run) => HAS_TERMINAL || !run.startsWith('terminal'));
  if (possible.length < runs.length) console.info('There is no /usr/bin/script. Omitted: fleet on a terminal');
  test.concurrent.each(possible)(
    'every command prints data on stdout only, %s',
    async (run) => {
      const isTerminal = run.startsWith('terminal');
      const isJson = run.endsWith('--json');
      const env = { FLEET_URL: api.baseUrl, FLEET_API_KEY: api.apiKey };
      const records = await createRecords(api, run.replaceAll(/\W+/g, '-'));
      for (const [line, shape, shows = '', { code = 0, input } = {}] of COMMANDS) {
        const args = [...toArgs(line, records), ...(isJson && shape !== 'text' ? ['--json'] : [])];
        // A terminal has no end of input but Ctrl-D.
        const typed = isTerminal && input !== undefined ? `${input}\x04` : input;
        const outcome = await program.run(args, { env, isTerminal, input: typed });
        const problems = problemsOf(shape, outcome, isJson, fill(shows, records));
        if (outcome.code !== code) problems.push(`exit code ${outcome.code}`);
        if (problems.length > 0) throw new Error(JSON.stringify({ args, problems, ...outcome }, null, 2));
      }
    },
    TIMEOUT_MS,
  );
}

function problemsOf(shape: Shape, { stdout, stderr }: Outcome, isJson: boolean, shown: string): string[] {
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
