import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { claudeCode } from '../../src/runtimes/claude-code.ts';
import type { RuntimeJob } from '../../src/runtimes/runtime.ts';
import { type Line, linesOf, useRecordings } from './support/run-recorded.ts';

const { run, makeJob } = useRecordings(claudeCode, { reads: 'line' });
const ended = expect.objectContaining({ type: 'success' });
const INTERRUPT = { type: 'control_request', request_id: 'cancel', request: { subtype: 'interrupt' } };

/** The recording with another line in the place of those that match. */
function edited(
  recording: string,
  edit: (object: Record<string, unknown>) => Record<string, unknown> | undefined,
): Line[] {
  return linesOf(claudeCode, recording).map((line) => {
    const object = 'text' in line ? edit(JSON.parse(line.text)) : undefined;
    return object === undefined ? line : { text: JSON.stringify(object) };
  });
}

async function settingsOf(job: Partial<RuntimeJob>) {
  const made = makeJob(job);
  await claudeCode.prepare(made);
  return {
    job: made,
    settings: JSON.parse(readFileSync(join(made.folders.home, 'claude/fleet-settings.json'), 'utf8')),
  };
}

describe('the program', () => {
  test('gets the message on stdin, which ends after the result', async () => {
    const prompt = `--version\n${'ä'.repeat(150_000)}`;
    const { given } = await run({ job: { prompt } });
    const { stdin, args, isEnded } = await given();
    expect(stdin.map((line) => JSON.parse(line))).toEqual([
      { type: 'user', message: { role: 'user', content: prompt } },
    ]);
    expect(args.join(' ')).not.toContain('ää');
    expect(isEnded).toBe(true);
  });

  test('does not take a message for a command', async () => {
    const { given } = await run({ job: { prompt: '/config theme=dark' } });
    const [line = ''] = (await given()).stdin;
    expect(JSON.parse(line).message.content).toBe('\n/config theme=dark');
  });

  test('gets the endpoint, folders of the attempt and nothing of the repository', async () => {
    const { given, job } = await run();
    const { args, env } = await given();
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:40000/provider',
      ANTHROPIC_API_KEY: 'key-of-the-attempt',
      CLAUDE_CONFIG_DIR: join(job.folders.home, 'claude'),
    });
    expect(env).not.toHaveProperty('IS_SANDBOX');
    expect(args).toEqual(expect.arrayContaining(['--setting-sources=user', '--strict-mcp-config', '--restricted']));
  });

  test('gets values that look like options as values', async () => {
    const job = { model: '--settings=x', session: '--resume', outputSchema: { type: 'object' } };
    const { given } = await run({ job, recording: 'resumed' });
    const { args } = await given();
    const expected = ['--model=--settings=x', '--resume=--resume', '--json-schema={"type":"object"}'];
    expect(args).toEqual(expect.arrayContaining(expected));
  });

  test('finds the skills in a plugin that has nothing else', async () => {
    const job = makeJob({ skills: ['demo'] });
    mkdirSync(join(job.folders.skills, 'demo'));
    writeFileSync(join(job.folders.skills, 'demo/SKILL.md'), 'Body');
    await claudeCode.prepare(job);
    const plugin = join(job.folders.home, 'fleet-plugin');
    expect(readlinkSync(join(plugin, 'skills/demo'))).toBe(join(job.folders.skills, 'demo'));
    expect(claudeCode.command(job).args).toContain(`--plugin-dir=${plugin}`);
  });
});

describe('permissions', () => {
  test('read-only has no tool that writes or runs commands', async () => {
    const { job, settings } = await settingsOf({ permissions: 'read-only' });
    const tools = claudeCode.command(job).args.find((arg) => arg.startsWith('--tools='));
    expect(tools).toMatch(/Read/);
    expect(tools).not.toMatch(/Bash|\bWrite|Edit|Web/);
    expect(settings).toEqual({ disableAllHooks: true });
  });

  test('edit runs commands in the sandbox, which hides other attempts and the home of the worker', async () => {
    const { folders } = makeJob({});
    const tmp = join(`${folders.root}-tmp`, 'attempt');
    const { settings } = await settingsOf({ permissions: 'edit', folders: { ...folders, tmp } });
    const { root } = folders;
    const { filesystem } = settings.sandbox;
    expect(settings).toMatchObject({
      disableAllHooks: true,
      sandbox: { enabled: true, allowUnsandboxedCommands: false, filesystem: { allowRead: [root, tmp] } },
    });
    expect(filesystem.denyRead.slice(0, 2)).toEqual([dirname(dirname(root)), dirname(tmp)]);
    const inHome = filesystem.denyRead.slice(2).every((path: string) => dirname(path) === homedir());
    expect(inHome).toBe(true);
  });

  test('full has no bounds, and no hooks of skills either', async () => {
    const { job, settings } = await settingsOf({ permissions: 'full' });
    const { args, env } = claudeCode.command(job);
    expect(args).toContain('--permission-mode=bypassPermissions');
    expect(args).not.toContain('--restricted');
    expect(env.IS_SANDBOX).toBe('1');
    expect(settings).toEqual({ disableAllHooks: true });
  });
});

describe('events', () => {
  test('are the session, texts, tools, the plan, what was used, and the success', async () => {
    const { events } = await run({ recording: 'tools' });
    const types = 'session text plan tool tool tool tool text used success';
    expect(events.map(({ type }) => type).join(' ')).toBe(types);
    expect(events).toEqual(
      expect.arrayContaining([
        { type: 'session', id: expect.stringMatching(/^[0-9a-f-]{36}$/), model: 'claude-sonnet-5' },
        { type: 'plan', done: 1, total: 2 },
        { type: 'tool', name: 'Write', detail: 'hello.txt' },
        { type: 'success', text: 'Done.' },
      ]),
    );
  });

  test('count what is read from the cache and written to it as input', async () => {
    const { events } = await run();
    expect(events.find(({ type }) => type === 'used')).toEqual({
      type: 'used',
      used: {
        usage: { input_tokens: 150, cached_input_tokens: 30, output_tokens: 50, reasoning_tokens: 0 },
        cost: { amount: 0.001506, currency: 'USD', estimated: true },
        model: 'claude-opus-5-5',
      },
      ofSession: false,
      turns: 1,
    });
  });

  test('count a resumed session from its resumption', async () => {
    const job = { session: '6723f527-a068-4d7f-957d-428f07e21273' };
    const { events } = await run({ recording: 'resumed', job });
    const used = { usage: { input_tokens: 150 }, cost: { amount: 0.001506 } };
    expect(events).toContainEqual(
      expect.objectContaining({
        used: expect.objectContaining({ usage: expect.objectContaining(used.usage) }),
        ofSession: false,
      }),
    );
  });

  test('say that the numbers are of the whole session where a version tells no others', async () => {
    const lines = edited('resumed', ({ model_usage_since_last_result, ...rest }) => rest);
    const { events } = await run({ lines, job: { session: 'x' } });
    const used = expect.objectContaining({ usage: expect.objectContaining({ input_tokens: 300 }) });
    expect(events).toContainEqual(expect.objectContaining({ used, ofSession: true }));
  });

  test('have the output by the schema', async () => {
    const { events } = await run({ recording: 'schema', job: { outputSchema: {} } });
    expect(events.at(-1)).toEqual({ type: 'success', text: '{"n":1}', output: { n: 1 } });
  });

  test('tell of retries that help', async () => {
    const { events } = await run({ recording: 'retried' });
    expect(events).toContainEqual({ type: 'notice', text: 'The model call failed (overloaded 529), retry 1 of 3' });
    expect(events.at(-1)).toEqual({ type: 'success', text: 'Hello there.' });
  });

  test.each([
    ['unauthorized', 'auth_failed', false],
    ['no-credit', 'auth_failed', false],
    ['rate-limited', 'rate_limited', true],
    ['server-error', 'no_result', true],
    ['prompt-too-long', 'no_result', false],
    ['budget-exceeded', 'budget_exceeded', false],
    ['max-budget', 'budget_exceeded', false],
    ['max-turns', 'max_turns', false],
    ['refused', 'refused', false],
    ['schema-not-met', 'output_invalid', true],
    ['unknown-session', 'session_lost', false],
  ])('end a recording of %s as %s', async (recording, code, retryable) => {
    const { events } = await run({ recording, exitCode: 1, job: { session: 'x' } });
    expect(events.at(-1)).toEqual({ type: 'failure', code, retryable, message: expect.stringMatching(/\w/) });
    expect(events.filter(({ type }) => type === 'success')).toEqual([]);
  });

  test('refuse a schema that the program cannot use', async () => {
    const stderr = 'Error: --json-schema is not a valid JSON Schema: data/type must be array\n';
    const { events } = await run({ lines: [], stderr, exitCode: 1 });
    const message = '--json-schema is not a valid JSON Schema: data/type must be array';
    expect(events).toEqual([{ type: 'failure', code: 'output_invalid', message, retryable: false }]);
  });
});

describe('requests for permission', () => {
  test('are denied and reported', async () => {
    const { events, given } = await run({ recording: 'denied' });
    expect(events.filter(({ type }) => type === 'denied')).toEqual([
      { type: 'denied', tool: 'Bash', detail: 'npm test' },
      { type: 'denied', tool: 'Read', detail: '--restricted: path outside the working directory' },
    ]);
    const { response } = JSON.parse((await given()).stdin[1] ?? '');
    expect(response).toMatchObject({ subtype: 'success', response: { behavior: 'deny' } });
  });

  test('for commands are granted where there is a sandbox', async () => {
    const lines = edited('denied', (object) =>
      object.subtype === 'init' ? { ...object, sandbox_enabled: true } : undefined,
    );
    const { events, given } = await run({ lines });
    const { response } = JSON.parse((await given()).stdin[1] ?? '');
    expect(response.response).toEqual({ behavior: 'allow', updatedInput: { command: 'npm test' } });
    expect(events).not.toContainEqual(expect.objectContaining({ type: 'denied', tool: 'Bash' }));
    expect(events.at(-1)).toEqual(ended);
  });

  test('for commands are denied once the sandbox has failed', async () => {
    const lost = { type: 'user', message: { content: [{ type: 'tool_result', content: 'Sandboxing is disabled …' }] } };
    const lines = edited('denied', (object) =>
      object.subtype === 'init' ? { ...object, sandbox_enabled: true } : undefined,
    );
    const at = lines.findIndex((line) => 'text' in line && line.text.includes('can_use_tool'));
    const { events } = await run({ lines: lines.toSpliced(at, 0, { text: JSON.stringify(lost) }) });
    expect(events).toContainEqual({ type: 'denied', tool: 'Bash', detail: 'npm test' });
  });

  test('end with the question when the agent asks a person', async () => {
    const { events, given } = await run({ recording: 'question', exitCode: 1 });
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['used', 'question']);
    expect(events.at(-1)).toEqual({ type: 'question', text: 'Which one? (A, B)' });
    const { response } = JSON.parse((await given()).stdin[1] ?? '');
    expect(response.response).toMatchObject({ behavior: 'deny', interrupt: true });
  });
});

describe('a cancellation', () => {
  test('interrupts the turn', async () => {
    const lines: Line[] = linesOf(claudeCode, 'interrupted').flatMap((line): Line[] =>
      'text' in line && line.text.includes('"control_response"') ? [{ pause: true }, line] : [line],
    );
    const { events, given } = await run({
      lines,
      exitCode: 1,
      onEvent: ({ type }, cancel) => type === 'tool' && cancel(),
    });
    expect(JSON.parse((await given()).stdin[1] ?? '')).toEqual(INTERRUPT);
    expect(events.at(-1)).toMatchObject({ type: 'failure', message: 'The turn was interrupted' });
  });
});

describe('a program that does not behave', () => {
  test('may write what is no event, a line of 20 MB too', async () => {
    const garbage: Line[] = [{ text: 'not json' }, { text: '[1]' }, { text: '{"type":' }, { bytes: 20_000_000 }];
    const odd = ['{"type":"assistant","message":{"content":7}}', '{"type":"result_of_another_kind","result":1}'];
    const lines = [...garbage, ...odd.map((text) => ({ text })), ...linesOf(claudeCode, 'success')];
    const { events } = await run({ lines });
    expect(events.slice(0, 4)).toEqual([
      { type: 'notice', text: 'Output that is no event: not json' },
      { type: 'notice', text: 'Output that is no event: [1]' },
      { type: 'notice', text: 'Output that is no event: {"type":' },
      { type: 'notice', text: 'Skipped a line of 20000000 bytes, more than 8388608' },
    ]);
    expect(events.slice(4).map(({ type }) => type)).toEqual(['session', 'text', 'used', 'success']);
  });

  test('has succeeded at its result, although it does not exit', async () => {
    const { events, process, given } = await run({ hangs: true });
    expect(events.at(-1)).toEqual(ended);
    await until(given, { holds: ({ isEnded }) => isEnded, message: 'the end of its stdin' });
    expect(process.child.exitCode).toBeNull();
  });
});
