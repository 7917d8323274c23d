import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { toFailure } from '../../src/runtimes/codex/failures.ts';
import { codex } from '../../src/runtimes/codex.ts';
import type { Answer, RuntimeEvent, RuntimeJob, RuntimeSession } from '../../src/runtimes/runtime.ts';
import { type Line, linesOf, useRecordings } from './support/run-recorded.ts';

const { run, makeJob } = useRecordings(codex, { isDialogue: true });
const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };
const NO_ANSWER = { option_ids: null, text: null, values: null };

async function configOf(given: Partial<RuntimeJob>) {
  const job = makeJob(given);
  await codex.prepare(job);
  return { job, config: readFileSync(join(job.folders.home, 'codex/config.toml'), 'utf8') };
}

/** What the program was told: the methods, and the parameters of one. */
async function told({ given }: Awaited<ReturnType<typeof run>>) {
  const { stdin } = await given();
  const messages = stdin.map((line) => JSON.parse(line));
  return { messages, of: (method: string) => messages.find((message) => message.method === method)?.params };
}

/** Of a recording. */
function sessionOf(recording: string): string {
  const lines = linesOf(codex, recording).map((line) => ('text' in line ? JSON.parse(line.text) : {}));
  return lines.find(({ result }) => result?.thread).result.thread.id;
}

const entriesOf = (events: RuntimeEvent[]) => events.flatMap((event) => (event.type === 'entry' ? [event.entry] : []));
const namesOf = (events: RuntimeEvent[]) =>
  events
    .filter(({ type }) => type !== 'turn' && type !== 'delta')
    .map((event) => (event.type === 'entry' ? event.entry.type : event.type))
    .join(' ');

describe('the program', () => {
  test('gets the message over its protocol only', async () => {
    const prompt = `--help\n${'ä'.repeat(150_000)}`;
    const ran = await run({ job: { prompt } });
    expect((await told(ran)).of('turn/start').input).toEqual([{ type: 'text', text: prompt, text_elements: [] }]);
    expect((await ran.given()).args).toEqual(['app-server']);
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

  test('gets a schema only where the strict mode of the API takes it', async () => {
    const schemaOf = async (outputSchema: Record<string, unknown>) =>
      (await told(await run({ job: { outputSchema } }))).of('turn/start').outputSchema;
    expect(await schemaOf(SCHEMA)).toEqual(SCHEMA);
    for (const outputSchema of [
      { type: 'object', properties: { n: {} } },
      { ...SCHEMA, required: [] },
      { ...SCHEMA, properties: { n: { type: 'object' } } },
      { ...SCHEMA, properties: { n: { type: 'string', format: 'uri' } } },
    ]) {
      expect(await schemaOf(outputSchema)).toBeUndefined();
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

  test('leaves one file of a session to carry', async () => {
    const job = makeJob();
    const folder = join(job.folders.home, 'codex/sessions/2026/11/30');
    mkdirSync(folder, { recursive: true });
    for (const id of ['a', 'b']) writeFileSync(join(folder, `rollout-2026-11-30T16-40-53-${id}.jsonl`), '');
    const files = await codex.sessionFiles?.(job, 'b');
    expect(files).toEqual(['codex/sessions/2026/11/30/rollout-2026-11-30T16-40-53-b.jsonl']);
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
    expect((await configOf({ permissions, approvals: 'ask' })).config).toContain('approval_policy = "on-request"');
    expect(config).toContain(`extends = "${profile}"`);
    expect(config).toContain(`"${join(other.folders.root, '..')}" = "deny"`);
    expect(config.includes('":slash_tmp" = "read"')).toBe(permissions === 'edit');
    expect(config).not.toContain(`"${homedir()}" =`);
  });

  test('full has no sandbox, and asks nobody', async () => {
    const { config } = await configOf({ permissions: 'full', approvals: 'ask' });
    expect(config).toContain('default_permissions = ":danger-full-access"');
    expect(config).toContain('approval_policy = "never"');
    expect(config).not.toContain('deny');
  });

  test('trust no repository', async () => {
    const { config, job } = await configOf({});
    expect(config).toContain(`[projects."${job.folders.workspace}"]\ntrust_level = "untrusted"`);
  });

  test('quotes values for TOML', async () => {
    const { config } = await configOf({ model: 'a"\n[features]\nhooks = true' });
    expect(config.split('\n')[0]).toBe('model = "a\\"\\n[features]\\nhooks = true"');
  });
});

describe('events', () => {
  test('are the session, entries, and the success with the last text', async () => {
    const job = { model: 'test-model' };
    const { events } = await run({ recording: 'tools', job });
    const call = 'tool_call tool_result';
    expect(namesOf(events)).toBe(`session text ${call} ${call} file_edit ${call} file_edit text success`);
    expect(events[0]).toEqual({ type: 'session', id: sessionOf('tools'), ...job });
    const [text, ls, result, , , added, , , changed] = entriesOf(events);
    expect(text).toEqual({ type: 'text', data: { markdown: 'I look around.' } });
    const command = "/bin/bash -c 'ls; exit 3'";
    expect(ls?.data).toMatchObject({ name: 'shell', input: { command }, summary: command });
    expect(result?.data).toMatchObject({ is_error: true, exit_code: 3, duration_ms: expect.any(Number) });
    expect(added?.data).toMatchObject({ path: expect.stringMatching(/hello\.txt$/), added: 2, removed: 0 });
    expect(changed?.data).toMatchObject({ added: 1, removed: 1, diff: '@@ -1,2 +1,2 @@\n-Hello\n+Bye\n World' });
    expect(events.at(-1)).toEqual({ type: 'success', text: 'Done.' });
  });

  test('have the plan, thoughts and other tools', async () => {
    const at = { threadId: sessionOf('success') };
    const search = { type: 'webSearch', id: 'c1', query: 'x' };
    const found = { ...search, status: 'completed', durationMs: 7 };
    // As its types say: no version at hand offers the tool of the plan.
    const plan = [
      { step: 'a', status: 'completed' },
      { step: 'b', status: 'inProgress' },
    ];
    const messages = [
      { method: 'turn/plan/updated', params: { ...at, plan } },
      { method: 'item/completed', params: { ...at, item: { type: 'reasoning', summary: ['Hm.', 'Well.'] } } },
      { method: 'item/started', params: { ...at, item: search } },
      { method: 'item/started', params: { threadId: 'of a helper', item: { ...search, id: 'c2' } } },
      { method: 'item/completed', params: { ...at, item: found } },
    ];
    const recorded = linesOf(codex, 'success');
    const begun = recorded.findIndex((line) => 'text' in line && line.text.includes('turn/started'));
    const lines: Line[] = recorded.toSpliced(begun, 0, ...messages.map((text) => ({ text: JSON.stringify(text) })));
    const { events } = await run({ lines });
    expect(entriesOf(events).slice(0, 4)).toEqual([
      {
        type: 'plan',
        data: {
          items: [
            { text: 'a', state: 'completed' },
            { text: 'b', state: 'in_progress' },
          ],
        },
      },
      { type: 'thinking', data: { text: 'Hm.\n\nWell.' } },
      { type: 'tool_call', data: { call_id: 'c1', name: 'webSearch', input: { query: 'x' }, summary: 'x' } },
      { type: 'tool_result', data: { call_id: 'c1', is_error: false, duration_ms: 7, output: '' } },
    ]);
  });

  test('have the output by the schema, of a session that was resumed', async () => {
    const job = { session: sessionOf('resumed'), outputSchema: SCHEMA };
    const { events } = await run({ recording: 'resumed', job });
    expect(events.at(-1)).toEqual({ type: 'success', text: '{"n":1}', output: { n: 1 } });
  });

  test('have texts and outputs while they are written', async () => {
    const { events } = await run({ recording: 'messages', onEvent: speak });
    const deltas = events.filter(({ type }) => type === 'delta');
    expect(deltas).toContainEqual({ type: 'delta', text: 'slept\n', callId: expect.any(String) });
    expect(deltas).toContainEqual({ type: 'delta', text: 'One' });
  });

  test.each([
    ['unauthorized', 'auth_failed', false],
    ['rate-limited', 'rate_limited', true],
    ['server-error', 'no_result', true],
    ['unknown-model', 'no_result', false],
    ['model-refused', 'no_result', true],
  ])('end a recording of %s as %s', async (recording, code, retryable) => {
    const { events } = await run({ recording });
    expect(events.at(-1)).toEqual({ type: 'failure', code, retryable, message: expect.stringMatching(/\w/) });
    expect(events.filter(({ type }) => type === 'success')).toEqual([]);
  });

  test.each([
    ['{"error":{"message":"The budget of the task (max_cost) is used up"}}', 'other', 'budget_exceeded', false],
    ['Quota exceeded. Check your plan and billing details.', 'usageLimitExceeded', 'auth_failed', false],
    ["You've hit your limit, try again at 5 PM.", 'usageLimitExceeded', 'rate_limited', true],
    ['Selected model is at its limit', 'serverOverloaded', 'rate_limited', true],
    ['Your prompt was flagged as potentially violating our usage policy.', 'badRequest', 'refused', false],
    ['No', 'cyberPolicy', 'refused', false],
    ['Codex ran out of room in the context', 'contextWindowExceeded', 'no_result', false],
    ['stream disconnected before completion: error sending request', null, 'no_result', true],
  ])('end with the code for %s', (message, codexErrorInfo, code, retryable) => {
    expect(toFailure({ message, codexErrorInfo })).toMatchObject({ code, retryable });
  });

  test('end when the session is lost, or another one begins', async () => {
    const error = { code: -32600, message: 'no rollout found for thread id 01a2' };
    const replies = [
      { id: 1, result: {} },
      { id: 2, error },
    ].map((text): Line => ({ text: JSON.stringify(text) }));
    const expects = { expects: 'any' };
    const lines = [expects, ...replies.slice(0, 1), expects, expects, ...replies.slice(1)];
    const unknown = await run({ lines, job: { session: '01a2' } });
    expect(unknown.events).toEqual([
      { type: 'failure', code: 'session_lost', message: error.message, retryable: false },
    ]);
    const other = await run({ job: { session: 'a name' } });
    expect(other.events).toMatchObject([{ type: 'failure', code: 'session_lost' }]);
  });
});

/** Says what was said when `messages` was recorded, at the same time. */
function speak(event: RuntimeEvent, session: RuntimeSession): void {
  const command = event.type === 'entry' && event.entry.type === 'tool_call' ? event.entry.data.summary : '';
  if (command.includes('sleep 1')) {
    session.say?.({ id: 'steered', text: 'use French', mode: 'steer' });
    session.say?.({ id: 'queued', text: 'then this', mode: 'queue' });
  } else if (command.includes('sleep 30')) {
    session.say?.({ id: 'lost', text: 'not yet taken', mode: 'steer' });
    session.say?.({ id: 'interrupts', text: 'stop and do that', mode: 'interrupt' });
  } else if (command.includes('sleep 31')) session.interrupt?.();
  else if (event.type === 'interrupted') session.say?.({ id: 'goes-on', text: 'go on', mode: 'queue' });
  else if (event.type === 'delivered' && event.id === 'lost') {
    session.say?.({ id: 'last', text: 'a long one', mode: 'queue' });
  }
}

type OnEvent = NonNullable<Parameters<typeof run>[0]>['onEvent'];

describe('messages', () => {
  test('go into the turn, begin the next one, or stop it; what was not taken is sent again', async () => {
    const ran = await run({ recording: 'messages', onEvent: speak });
    const delivered = ran.events.flatMap((event) => (event.type === 'delivered' ? [`${event.id} ${event.as}`] : []));
    expect(delivered).toEqual([
      'steered steer',
      'queued queue',
      'interrupts interrupt',
      'lost queue',
      'last queue',
      'goes-on prompt',
    ]);
    expect(ran.events.filter(({ type }) => type === 'turn')).toHaveLength(6);
    const { messages } = await told(ran);
    const sent = messages.filter(({ params }) => params?.clientUserMessageId === 'lost');
    expect(sent.map(({ method }) => method)).toEqual(['turn/steer', 'turn/start']);
    expect(ran.events.at(-1)).toEqual({ type: 'success', text: 'Four' });
  });
});

describe('what is asked', () => {
  const decide = (answers: Answer[]): OnEvent => {
    const left = [...answers];
    return (event, session) => {
      if (event.type === 'ask') session.answer?.(event.ask.key, left.shift() ?? null);
    };
  };
  const asksOf = (events: RuntimeEvent[]) => events.flatMap((event) => (event.type === 'ask' ? [event.ask] : []));

  test('is what leaves the sandbox: allowed once, denied in words, allowed until the end', async () => {
    const decisions = [['allow'], ['deny'], ['allow_always'], ['allow']];
    const answers = decisions.map((option_ids, at) => ({
      ...NO_ANSWER,
      option_ids,
      text: at === 1 ? 'Use the cache' : null,
    }));
    const ran = await run({ recording: 'approvals', job: { approvals: 'ask' }, onEvent: decide(answers) });
    const asked = asksOf(ran.events);
    expect(asked.map(({ tool }) => tool?.name)).toEqual(['shell', 'shell', 'shell', 'apply_patch']);
    expect(asked[0]).toMatchObject({
      kind: 'approval',
      text: expect.stringContaining('It has to be out there'),
      tool: { input: { command: "/bin/bash -c 'touch /var/tmp/out1'" } },
    });
    expect(asked[3]?.tool?.input).toMatchObject({ changes: [{ path: '/var/tmp/out4', diff: 'Hello\n' }] });
    const { messages, of } = await told(ran);
    const given = messages.flatMap(({ result }) => (result?.decision ? [result.decision] : []));
    expect(given).toEqual(['accept', 'decline', 'acceptForSession', 'accept']);
    expect(of('turn/steer').input[0].text).toBe('Use the cache');
  });

  test('is a question, or a form of several', async () => {
    const values = { question_1: 'SQLite', question_2_other: 'mine' };
    const ran = await run({ recording: 'question', onEvent: decide([{ ...NO_ANSWER, values }]) });
    expect(asksOf(ran.events)).toMatchObject([{ kind: 'form', title: 'DB, Name' }]);
    const { messages } = await told(ran);
    const answers = { db: { answers: ['SQLite'] }, name: { answers: ['mine'] } };
    expect(messages).toContainEqual({ jsonrpc: '2.0', id: expect.any(Number), result: { answers } });
  });

  test('is refused where nobody can see what it would do', async () => {
    const at = { threadId: sessionOf('success'), itemId: 'c1' };
    const unseen = [
      'item/commandExecution/requestApproval',
      'item/permissions/requestApproval',
      'attestation/generate',
    ];
    const asked = unseen.map((method, id): Line => ({ text: JSON.stringify({ method, id, params: at }) }));
    const recorded = linesOf(codex, 'success');
    const ran = await run({ lines: recorded.toSpliced(-1, 0, ...asked) });
    expect(ran.events.filter(({ type }) => type === 'denied')).toHaveLength(3);
    expect((await told(ran)).messages.filter(({ error }) => error)).toHaveLength(3);
  });
});

describe('an end from outside', () => {
  const untilFirst = (type: string, act: (session: RuntimeSession) => void): OnEvent => {
    return (event, session) => {
      if (event.type === 'entry' && event.entry.type === type) act(session);
    };
  };

  test('is SIGTERM for the program and all of its group', async () => {
    const lines = linesOf(codex, 'tools').slice(0, -4);
    const { events, process } = await run({
      lines,
      hangs: true,
      onEvent: ({ type }, { cancel }) => type === 'entry' && cancel(),
    });
    expect(events.map(({ type }) => type)).not.toContain('success');
    expect(await process.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });

  test('is the end of its input for one that goes on elsewhere', async () => {
    const { events, process } = await run({
      recording: 'killed',
      onEvent: untilFirst('tool_call', (session) => void session.suspend?.()),
    });
    expect(namesOf(events)).toBe('session tool_call');
    expect(await process.exited).toEqual({ code: 0, signal: null });
  });
});

describe('a program that does not behave', () => {
  const unfinished = linesOf(codex, 'success').slice(0, -1);

  test.each([{ exitCode: 1 }, { signal: 'SIGKILL' as const }])(
    'has no ending without turn/completed: %j',
    async (end) => {
      const { events } = await run({ lines: unfinished, ...end });
      expect(namesOf(events)).toBe('session text');
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
