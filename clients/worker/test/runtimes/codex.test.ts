import { mkdirSync, readFileSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { codex } from '../../src/runtimes/codex.ts';
import type { RuntimeJob } from '../../src/runtimes/runtime.ts';
import { type Line, linesOf, useRecordings } from './support/run-recorded.ts';

const { run, makeJob } = useRecordings(codex, { reads: 'all' });
const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };

async function configOf(given: Partial<RuntimeJob>) {
  const job = makeJob(given);
  await codex.prepare(job);
  return { job, config: readFileSync(join(job.folders.home, 'codex/config.toml'), 'utf8') };
}

/** Of a recording. */
function sessionOf(recording: string): string {
  const [line] = linesOf(codex, recording);
  return JSON.parse((line as { text: string }).text).thread_id;
}

describe('the program', () => {
  test('gets the message on stdin only', async () => {
    const prompt = `--help\n${'ä'.repeat(150_000)}`;
    const { given } = await run({ job: { prompt } });
    const { stdin, args } = await given();
    expect(stdin.join('\n')).toBe(prompt);
    expect(args.at(-1)).toBe('-');
    expect(args.join(' ')).not.toContain('ää');
  });

  test('gets the endpoint of the attempt, and hides its key from commands', async () => {
    const { given, job } = await run();
    const { env } = await given();
    expect(env).toMatchObject({ CODEX_HOME: join(job.folders.home, 'codex'), FLEET_MODEL_KEY: 'key-of-the-attempt' });
    const config = readFileSync(join(job.folders.home, 'codex/config.toml'), 'utf8');
    expect(config).toContain('base_url = "http://127.0.0.1:40000/provider/v1"');
    expect(config).toContain('exclude = ["FLEET_MODEL_KEY"]');
    expect(config).not.toContain('key-of-the-attempt');
  });

  test('gets a session that looks like an option as a session', async () => {
    const job = makeJob({ session: '--last' });
    expect(codex.command(job).args.slice(-4)).toEqual(['resume', '--', '--last', '-']);
  });

  test('gets a schema only where the strict mode of the API takes it', async () => {
    const schemaFile = ({ args }: { args: readonly string[] }) =>
      args.find((arg) => arg.startsWith('--output-schema='));
    const strict = await configOf({ outputSchema: SCHEMA });
    const path = schemaFile(codex.command(strict.job))?.split('=')[1] ?? '';
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(SCHEMA);
    for (const outputSchema of [
      { type: 'object', properties: { n: {} } },
      { ...SCHEMA, required: [] },
      { ...SCHEMA, properties: { n: { type: 'object' } } },
      { ...SCHEMA, properties: { n: { type: 'string', format: 'uri' } } },
    ]) {
      expect(schemaFile(codex.command(makeJob({ outputSchema })))).toBeUndefined();
    }
  });

  test('finds the skills in its home, where an earlier attempt may have left others', async () => {
    const job = makeJob({ skills: ['demo'] });
    mkdirSync(join(job.folders.home, 'codex/skills/evil'), { recursive: true });
    mkdirSync(join(job.folders.skills, 'demo'));
    await codex.prepare(job);
    expect(readlinkSync(join(job.folders.home, 'codex/skills/demo'))).toBe(join(job.folders.skills, 'demo'));
    expect(() => readFileSync(join(job.folders.home, 'codex/skills/evil'))).toThrow('ENOENT');
  });
});

describe('permissions', () => {
  test.each([
    ['read-only', ':read-only'],
    ['edit', ':workspace'],
  ] as const)('%s hides other attempts and the home of the worker', async (permissions, profile) => {
    const other = makeJob();
    mkdirSync(join(other.folders.root, '../2'));
    const { config } = await configOf({ permissions });
    expect(config).toContain('approval_policy = "never"');
    expect(config).toContain(`extends = "${profile}"`);
    expect(config).toContain(`"${join(other.folders.root, '..')}" = "deny"`);
    expect(config.includes('":slash_tmp" = "read"')).toBe(permissions === 'edit');
    expect(config).not.toContain(`"${homedir()}" =`);
  });

  test('full has no sandbox', async () => {
    const { config } = await configOf({ permissions: 'full' });
    expect(config).toContain('default_permissions = ":danger-full-access"');
    expect(config).not.toContain('deny');
  });

  test('quotes values for TOML', async () => {
    const { config } = await configOf({ model: 'a"\n[features]\nhooks = true' });
    expect(config.split('\n')[0]).toBe('model = "a\\"\\n[features]\\nhooks = true"');
  });
});

describe('events', () => {
  test('are the session, texts, tools, what was used, and the success with the last text', async () => {
    const { events } = await run({ recording: 'tools', job: { model: 'test-model' } });
    expect(events.map(({ type }) => type).join(' ')).toBe('session notice text tool tool text used success');
    expect(events).toEqual(
      expect.arrayContaining([
        { type: 'session', id: sessionOf('tools'), model: 'test-model' },
        { type: 'tool', name: 'command_execution', detail: '/bin/bash -c ls' },
        { type: 'tool', name: 'file_change', detail: '/attempt/workspace/hello.txt' },
        { type: 'success', text: 'Done.' },
      ]),
    );
  });

  test('have the plan and other tools', async () => {
    // As documented: the versions at hand have no plan without a catalogue of models.
    const items = [
      { type: 'item.started', item: { type: 'todo_list', items: [{ text: 'a', completed: false }] } },
      { type: 'item.updated', item: { type: 'todo_list', items: [{ text: 'a', completed: true }, { text: 'b' }] } },
      { type: 'item.started', item: { type: 'mcp_tool_call', server: 'docs', tool: 'search', query: 'x' } },
      { type: 'item.started', item: { type: 'web_search', query: 'weather' } },
    ];
    const lines = items.map((item): Line => ({ text: JSON.stringify(item) }));
    const { events } = await run({ lines: [...lines, ...linesOf(codex, 'success')] });
    expect(events.slice(0, 4)).toEqual([
      { type: 'plan', done: 0, total: 1 },
      { type: 'plan', done: 1, total: 2 },
      { type: 'tool', name: 'docs.search', detail: 'x' },
      { type: 'tool', name: 'web_search', detail: 'weather' },
    ]);
  });

  test('have the tokens of the turn, or of a session that was resumed', async () => {
    const usage = { input_tokens: 100, cached_input_tokens: 30, output_tokens: 50, reasoning_tokens: 20 };
    const first = await run();
    expect(first.events).toContainEqual({
      type: 'used',
      used: { usage, cost: null, model: null },
      ofSession: false,
    });
    const job = { session: sessionOf('resumed'), outputSchema: SCHEMA };
    const resumed = await run({ recording: 'resumed', job });
    const used = expect.objectContaining({ usage: expect.objectContaining({ input_tokens: 500 }) });
    expect(resumed.events).toContainEqual({ type: 'used', used, ofSession: true });
    expect(resumed.events.at(-1)).toEqual({ type: 'success', text: '{"n":1}', output: { n: 1 } });
  });

  test.each([
    ['unauthorized', 'auth_failed', false],
    ['no-credit', 'auth_failed', false],
    ['rate-limited', 'rate_limited', true],
    ['server-error', 'no_result', true],
    ['disconnected', 'no_result', true],
    ['unknown-model', 'no_result', false],
    ['context-exceeded', 'no_result', false],
    ['budget-exceeded', 'budget_exceeded', false],
    ['flagged', 'refused', false],
    ['content-filter', 'refused', false],
    ['refused', 'no_result', true],
  ])('end a recording of %s as %s', async (recording, code, retryable) => {
    const { events } = await run({ recording, exitCode: 1 });
    expect(events.at(-1)).toEqual({ type: 'failure', code, retryable, message: expect.stringMatching(/\w/) });
    expect(events.filter(({ type }) => type === 'success')).toEqual([]);
  });

  test('end when the session is lost, or another one begins', async () => {
    const stderr = 'Error: thread/resume failed: no rollout found for thread id 01a2 (code -32600)\n';
    const unknown = await run({ lines: [], stderr, exitCode: 1, job: { session: '01a2' } });
    const message = 'no rollout found for thread id 01a2 (code -32600)';
    expect(unknown.events).toEqual([{ type: 'failure', code: 'session_lost', message, retryable: false }]);
    const other = await run({ job: { session: 'a name' } });
    expect(other.events).toMatchObject([{ type: 'failure', code: 'session_lost' }]);
  });
});

describe('a cancellation', () => {
  test('ends the program and all of its group with SIGTERM', async () => {
    const lines: Line[] = linesOf(codex, 'tools').slice(0, 4);
    const { events, process } = await run({
      lines,
      hangs: true,
      onEvent: ({ type }, { cancel }) => type === 'text' && cancel(),
    });
    expect(events.map(({ type }) => type)).not.toContain('success');
    expect(await process.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });
});

describe('a program that does not behave', () => {
  const unfinished = linesOf(codex, 'success').slice(0, -1);

  test.each([{ exitCode: 0 }, { signal: 'SIGKILL' as const }])(
    'has no ending without turn.completed: %j',
    async (end) => {
      const { events } = await run({ lines: unfinished, ...end });
      expect(events.map(({ type }) => type)).toEqual(['session', 'text']);
    },
  );

  test('may write what is no event, and much of it', async () => {
    const lines: Line[] = [...Array<Line>(50).fill({ text: 'WARNING' }), { bytes: 20_000_000 }];
    const { events } = await run({ lines: [...lines, ...linesOf(codex, 'success')] });
    const notices = events.filter(({ type }) => type === 'notice');
    expect(notices).toHaveLength(20);
    expect(notices.at(-1)).toEqual({ type: 'notice', text: 'More output that is no event is not shown' });
    expect(events.at(-1)).toEqual({ type: 'success', text: 'Hello there.' });
  });
});
