import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelRequest, Reply } from '@agent-fleet/scripts/testing/model-server/model-api';
import { type ModelServer, startModelServer } from '@agent-fleet/scripts/testing/model-server/model-server';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { writeHomeFile } from '../../src/runtimes/attempt-files.ts';
import { codex } from '../../src/runtimes/codex.ts';
import { opencode } from '../../src/runtimes/opencode.ts';
import type { Answer, Runtime, RuntimeEvent, RuntimeJob, RuntimeSession } from '../../src/runtimes/runtime.ts';
import { makeJob, startRuntime } from './support/runtime-program.ts';

/** Where `e2e/runtimes` installs them; PATH has them elsewhere. */
const PROGRAMS = join(import.meta.dirname, '../../../../.data/runtimes/node_modules/.bin');
const KEY = 'key-of-the-attempt';
const NO_ANSWER = { option_ids: null, text: null, values: null };
const QUESTION = {
  id: 'db',
  header: 'DB',
  question: 'Which database?',
  options: [
    { label: 'SQLite', description: 'small' },
    { label: 'Postgres', description: 'big' },
  ],
};

const SERVERS = [
  {
    runtime: codex,
    model: 'gpt-5.5',
    shell: (cmd: string) => ({ name: 'exec_command', args: { cmd, yield_time_ms: 60_000 } }),
    write: (path: string) => ({
      name: 'apply_patch',
      args: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`,
    }),
    question: { name: 'request_user_input', args: { questions: [QUESTION] } },
    interrupted: /aborted|turn_aborted/,
  },
  {
    runtime: opencode,
    model: 'anthropic/claude-sonnet-4-5',
    shell: (command: string) => ({ name: 'bash', args: { command, description: 'Runs it' } }),
    write: (filePath: string) => ({ name: 'write', args: { filePath, content: 'x\n' } }),
    question: { name: 'question', args: { questions: [QUESTION] } },
    interrupted: /interrupted/,
  },
] as const;

let server: ModelServer;
let reply: (request: ModelRequest) => Reply;
/** Outside of the attempt. */
let outside = '';
let root = '';
const base = ownFolder();
/** Codex may not write in `/tmp`, whatever a person says. */
const elsewhere = mkdtempSync('/var/tmp/fleet-outside-');

beforeAll(async () => {
  server = await startModelServer({ key: KEY, reply: (request) => reply(request) });
});
beforeEach(() => {
  root = join(mkdtempSync(join(base, 'task-')), '1');
  outside = join(mkdtempSync(join(elsewhere, 'task-')), 'file');
});
afterAll(async () => {
  rmSync(elsewhere, { recursive: true });
  await server?.close();
});

function say(...replies: Reply[]): void {
  reply = ({ tools }) => (tools.length === 0 ? { text: 'A title' } : (replies.shift() ?? { text: 'Done.' }));
}

const isCall = (event: RuntimeEvent, word: string) =>
  event.type === 'entry' && event.entry.type === 'tool_call' && event.entry.data.summary.includes(word);
const lastBody = () => JSON.stringify(server.requests.filter(({ tools }) => tools.length > 0).at(-1)?.body);

async function run(
  { runtime, model }: { runtime: Runtime; model: string },
  onEvent: (event: RuntimeEvent, session: RuntimeSession) => void,
  given: Partial<RuntimeJob> = {},
) {
  const job = makeJob(root, { endpoint: { baseUrl: server.url, key: KEY }, model, approvals: 'ask', ...given });
  const { home, tmp } = job.folders;
  const xdg = { XDG_DATA_HOME: join(home, '.local/share'), XDG_CONFIG_HOME: join(home, '.config') };
  const PATH = `${PROGRAMS}:${process.env.PATH}`;
  const env = { PATH, HOME: home, TMPDIR: tmp, XDG_CACHE_HOME: join(home, '.cache'), ...xdg };
  const { session, program } = await startRuntime(runtime, job, ['env', `PATH=${PATH}`, runtime.program], env);
  const events: RuntimeEvent[] = [];
  for await (const event of session.events) {
    events.push(event);
    onEvent(event, session);
  }
  await program.exited;
  return { events, ending: events.at(-1), job };
}

const isInstalled = ({ program }: Runtime) =>
  [PROGRAMS, ...(process.env.PATH ?? '').split(':')].some((folder) => existsSync(join(folder, program)));

for (const each of SERVERS) {
  const { name } = each.runtime;
  if (isInstalled(each.runtime)) describe(`The real ${name}`, () => specify(each));
  else test.skip(`the real ${name}, which is not installed`, () => {});
}

function specify(each: (typeof SERVERS)[number]): void {
  const { runtime, shell, write, question } = each;

  test('asks for what leaves the attempt, and a person', async () => {
    say({ tools: [write(outside)] }, { tools: [write(`${outside}-2`)] }, { tools: [question] });
    const answers: Answer[] = [
      { ...NO_ANSWER, option_ids: ['allow'] },
      { ...NO_ANSWER, option_ids: ['deny'], text: 'Use the cache' },
      { ...NO_ANSWER, option_ids: ['option_1'] },
    ];
    const { events, ending } = await run(each, (event, session) => {
      if (event.type === 'ask') session.answer?.(event.ask.key, answers.shift() ?? null);
    });
    expect(ending).toEqual({ type: 'success', text: 'Done.' });
    expect(events.filter(({ type }) => type === 'ask')).toHaveLength(3);
    expect(readFileSync(outside, 'utf8')).toBe('x\n');
    expect(existsSync(`${outside}-2`)).toBe(false);
    expect(lastBody()).toContain('Use the cache');
    expect(lastBody()).toContain('SQLite');
  });

  test('takes messages into a turn, after it, and in its place', async () => {
    say({ tools: [shell('sleep 2; echo slept')] }, { text: 'One' }, { tools: [shell('sleep 40')] }, { text: 'Two' });
    const { events, ending } = await run(each, (event, session) => {
      if (isCall(event, 'sleep 2')) {
        session.say?.({ id: 'steered', text: 'in French', mode: 'steer' });
        session.say?.({ id: 'queued', text: 'then this', mode: 'queue' });
      } else if (isCall(event, 'sleep 40')) session.interrupt?.();
      else if (event.type === 'interrupted') session.say?.({ id: 'goes-on', text: 'go on', mode: 'queue' });
    });
    const delivered = events.flatMap((event) => (event.type === 'delivered' ? [`${event.id} ${event.as}`] : []));
    expect(delivered).toEqual(['steered steer', 'queued queue', 'goes-on prompt']);
    expect(ending).toEqual({ type: 'success', text: 'Two' });
  });

  test('takes new instructions into a session that goes on', async () => {
    say();
    const { events } = await run(each, () => {}, { instructions: 'OLD-INSTRUCTIONS' });
    const session = events.find((event) => event.type === 'session')?.id;
    await run(each, () => {}, { instructions: 'NEW-INSTRUCTIONS', session, prompt: 'More' });
    expect(lastBody()).toContain('NEW-INSTRUCTIONS');
  });

  test('goes on in another home, without what it asked when it was suspended', async () => {
    say({ tools: [write(outside)] }, { text: 'Resumed.' });
    const first = await run(each, ({ type }, session) => type === 'ask' && void session.suspend?.());
    const session = first.events.find((event) => event.type === 'session')?.id ?? '';
    const files = (await runtime.sessionFiles?.(first.job, session)) ?? [];
    const contents = files.map((file) => readFileSync(join(first.job.folders.home, file)));
    rmSync(dirname(root), { recursive: true });
    root = join(mkdtempSync(join(base, 'task-')), '1');
    const { folders } = makeJob(root);
    for (const [at, file] of files.entries()) {
      await writeHomeFile(folders, file.split('/'), '');
      writeFileSync(join(folders.home, file), contents[at] as Buffer);
    }
    const { ending } = await run(each, () => {}, { session, prompt: 'Allowed: go on' });
    expect(ending).toEqual({ type: 'success', text: 'Resumed.' });
    expect(lastBody()).toMatch(each.interrupted);
    expect(existsSync(outside)).toBe(false);
  });
}
