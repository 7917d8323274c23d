import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { claudeCode } from '../../src/runtimes/claude-code.ts';
import type { RuntimeEvent, RuntimeJob } from '../../src/runtimes/runtime.ts';
import { type Line, linesOf, useRecordings } from './support/run-recorded.ts';

const { run, makeJob } = useRecordings(claudeCode, { isDialogue: false });
const ended = expect.objectContaining({ type: 'success' });
const INTERRUPT = { type: 'control_request', request_id: 'interrupt', request: { subtype: 'interrupt' } };
const answered = { option_ids: null, text: null, values: null };

type Given = Awaited<ReturnType<typeof run>>['given'];

/** What the program was told after the prompt. */
const toldOf = async (given: Given) => (await given()).stdin.slice(2).map((line) => JSON.parse(line));
const decisionOf = async (given: Given) => (await toldOf(given))[0].response.response;
const entriesOf = (events: RuntimeEvent[]) => events.flatMap((event) => (event.type === 'entry' ? [event.entry] : []));

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
      expect.objectContaining({ type: 'control_request', request_id: 'initialize' }),
      { type: 'user', uuid: expect.any(String), message: { role: 'user', content: prompt } },
    ]);
    expect(args.join(' ')).not.toContain('ää');
    expect(isEnded).toBe(true);
  });

  test('does not take a message for a command', async () => {
    const { given } = await run({ job: { prompt: '/config theme=dark' } });
    const [, line = ''] = (await given()).stdin;
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
  test('are the session, texts, tools, the plan, the end of the turn, and the success', async () => {
    const { events } = await run({ recording: 'tools' });
    const types = events.map((event) => (event.type === 'entry' ? event.entry.type : event.type));
    const tools = 'tool_call tool_call tool_result tool_result file_edit tool_call tool_call tool_result tool_result';
    expect(types.join(' ')).toBe(`session text plan ${tools} text turn success`);
    expect(events).toEqual(
      expect.arrayContaining([
        { type: 'session', id: expect.stringMatching(/^[0-9a-f-]{36}$/), model: 'claude-sonnet-5' },
        { type: 'success', text: 'Done.' },
      ]),
    );
    const entries = entriesOf(events);
    expect(entries).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ name: 'Write', summary: 'hello.txt' }) }),
    );
    const items = [
      { text: 'Look', state: 'completed' },
      { text: 'Write', state: 'in_progress' },
    ];
    expect(entries).toContainEqual({ type: 'plan', data: { items } });
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
    expect(await decisionOf(given)).toMatchObject({ behavior: 'deny' });
  });

  test('for commands are granted where there is a sandbox', async () => {
    const lines = edited('denied', (object) =>
      object.subtype === 'init' ? { ...object, sandbox_enabled: true } : undefined,
    );
    const { events, given } = await run({ lines });
    expect(await decisionOf(given)).toEqual({ behavior: 'allow', updatedInput: { command: 'npm test' } });
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

  test('ask a person, whose other input and whose words count', async () => {
    const { events, given } = await run({
      recording: 'people/approved',
      job: { approvals: 'ask' },
      onEvent: (event, session) => {
        if (event.type !== 'ask') return;
        const isFirst = event.ask.title === 'Bash: npm test; exit 3';
        const allowed = { ...answered, option_ids: ['allow'], tool_input: { command: 'exit 3' } };
        session.answer?.(event.ask.key, isFirst ? allowed : { ...answered, option_ids: ['deny'], text: 'Not now' });
      },
    });
    const [allow, deny] = (await toldOf(given)).map((line) => line.response.response.hookSpecificOutput);
    expect(allow).toMatchObject({ permissionDecision: 'allow', updatedInput: { command: 'exit 3' } });
    expect(deny).toMatchObject({ permissionDecision: 'deny', permissionDecisionReason: 'Not now' });
    expect(events.find(({ type }) => type === 'ask')).toMatchObject({
      ask: { kind: 'approval', tool: { name: 'Bash', input: { command: 'npm test; exit 3' } }, input_editable: true },
    });
    expect(events).toContainEqual({ type: 'denied', tool: 'Bash', detail: 'npm run x; true' });
    const results = entriesOf(events).filter(({ type }) => type === 'tool_result');
    expect(results[0]?.data).toMatchObject({ is_error: true, exit_code: 3 });
    expect(entriesOf(events).filter(({ type }) => type === 'file_edit')).toEqual([
      { type: 'file_edit', data: { path: 'a.txt', added: 2, removed: 0, diff: '@@ -0,0 +1,2 @@\n+one\n+two' } },
      { type: 'file_edit', data: { path: 'a.txt', added: 1, removed: 1, diff: '@@ -1,2 +1,2 @@\n one\n-two\n+three' } },
    ]);
    expect(events).toContainEqual({ type: 'delta', text: 'Done.' });
  });

  test.each(['npm test b', 'npm test'])('are not asked again for what a person allows always: %s', async (second) => {
    const lines = linesOf(claudeCode, 'people/always');
    const { events, given } = await run({
      lines: lines.map((line) => ('text' in line ? { text: line.text.replaceAll('npm test b', second) } : line)),
      job: { approvals: 'ask' },
      onEvent: (event, { answer }) =>
        event.type === 'ask' && answer?.(event.ask.key, { ...answered, option_ids: ['allow_always'] }),
    });
    expect(events.filter(({ type }) => type === 'ask')).toHaveLength(1);
    const [, { response }] = await toldOf(given);
    const [update] = response.response.updatedPermissions;
    expect(update).toMatchObject({ destination: 'session', rules: [{ ruleContent: 'npm test *' }] });
  });

  test('give the answer to a question', async () => {
    const { events, given } = await run({
      recording: 'people/question',
      onEvent: (event, { answer }) =>
        event.type === 'ask' && answer?.(event.ask.key, { ...answered, option_ids: ['option_2'], text: 'or C' }),
    });
    expect(events).toContainEqual({
      type: 'ask',
      ask: expect.objectContaining({ kind: 'question', title: 'Which one?' }),
    });
    const { updatedInput } = (await decisionOf(given)).hookSpecificOutput;
    expect(updatedInput.answers).toEqual({ 'Which one?': 'B, or C' });
    expect(events.at(-1)).toEqual({ type: 'success', text: 'B it is.' });
  });
});

describe('messages', () => {
  test('reach the running turn or begin the next one, and the last turn is the end', async () => {
    const { events, given } = await run({
      recording: 'people/messages',
      job: { approvals: 'ask' },
      onEvent: (event, { answer, say }) => {
        if (event.type !== 'ask') return;
        answer?.(event.ask.key, { ...answered, option_ids: ['allow'] });
        say?.({ id: 'm1', text: 'use French', mode: 'steer' });
        say?.({ id: 'm2', text: '/then', mode: 'queue' });
      },
    });
    expect(events.filter(({ type }) => type === 'delivered')).toEqual([
      { type: 'delivered', id: 'm1', as: 'steer' },
      { type: 'delivered', id: 'm2', as: 'queue' },
    ]);
    expect(events.filter(({ type }) => type === 'success')).toEqual([{ type: 'success', text: 'Last.' }]);
    const [steer, queue] = (await toldOf(given)).filter(({ type }) => type === 'user');
    expect(steer).not.toHaveProperty('priority');
    expect(queue).toMatchObject({ priority: 'later', message: { content: '\n/then' } });
    expect(events.filter(({ type }) => type === 'turn')).toHaveLength(2);
  });

  test('go on after an interruption, which withdraws what the turn has asked', async () => {
    const { events } = await run({
      recording: 'people/interruption',
      job: { approvals: 'ask' },
      onEvent: ({ type }, { interrupt, say }) => {
        if (type === 'ask') interrupt?.();
        if (type === 'interrupted') say?.({ id: 'm1', text: 'go on', mode: 'queue' });
      },
    });
    const types = events.map(({ type }) => type).filter((type) => type !== 'entry' && type !== 'turn');
    expect(types).toEqual([...['session', 'notice', 'ask', 'unasked', 'interrupted', 'delivered', 'delta', 'success']]);
    expect(events).toContainEqual({ type: 'delivered', id: 'm1', as: 'prompt' });
  });
});

describe('a suspension', () => {
  test('defers one call, and denies the other for now', async () => {
    let suspended: Promise<void> | undefined;
    const { events, given } = await run({
      recording: 'people/deferred',
      job: { approvals: 'ask' },
      onEvent: ({ type }, { suspend }) => {
        if (type === 'ask') suspended = suspend?.();
      },
    });
    await suspended;
    const decisions = (await toldOf(given)).map((line) => line.response.response.hookSpecificOutput.permissionDecision);
    expect(decisions).toEqual(['defer', 'deny']);
    expect(events.at(-1)).toEqual({ type: 'deferred', key: expect.stringMatching(/^toolu_/) });
  });

  test('goes on without a prompt, and with nothing allowed before the answer', () => {
    const { args } = claudeCode.command(makeJob({ prompt: '', session: 'x' }));
    expect(args).toContain('--permission-mode=manual');
  });

  test('has its session in one file', async () => {
    const job = makeJob();
    mkdirSync(join(job.folders.home, 'claude/projects/-x'), { recursive: true });
    writeFileSync(join(job.folders.home, 'claude/projects/-x/one.jsonl'), '');
    expect(await claudeCode.sessionFiles?.(job, 'one')).toEqual(['claude/projects/-x/one.jsonl']);
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
      onEvent: ({ type }, { cancel }) => type === 'entry' && cancel(),
    });
    expect((await toldOf(given))[0]).toEqual(INTERRUPT);
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
    expect(events.slice(4).map(({ type }) => type)).toEqual(['session', 'entry', 'turn', 'success']);
  });

  test('has succeeded at its result, although it does not exit', async () => {
    const { events, process, given } = await run({ hangs: true });
    expect(events.at(-1)).toEqual(ended);
    await until(given, { holds: ({ isEnded }) => isEnded, message: 'the end of its stdin' });
    expect(process.child.exitCode).toBeNull();
  });
});
