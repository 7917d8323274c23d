import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { opencode } from '../../src/runtimes/opencode.ts';
import type { Answer, RuntimeEvent, RuntimeJob, RuntimeSession } from '../../src/runtimes/runtime.ts';
import { type Line, linesOf, useRecordings } from './support/run-recorded.ts';

const { run, makeJob } = useRecordings(opencode, { isDialogue: true, program: 'replay-opencode.ts' });
const NO_ANSWER = { option_ids: null, text: null, values: null };

type OnEvent = (event: RuntimeEvent, session: RuntimeSession) => void;

async function configOf(given: Partial<RuntimeJob>) {
  const job = makeJob(given);
  await opencode.prepare(job);
  return { job, config: JSON.parse(readFileSync(join(job.folders.home, '.config/opencode/opencode.json'), 'utf8')) };
}

/** The calls, in their order. */
async function told({ given }: Awaited<ReturnType<typeof run>>) {
  const calls = (await given()).stdin.map((line) => JSON.parse(line));
  return { calls, of: (end: string) => calls.filter(({ path }) => path.endsWith(end)).map(({ body }) => body) };
}

const entriesOf = (events: RuntimeEvent[]) => events.flatMap((event) => (event.type === 'entry' ? [event.entry] : []));
const asksOf = (events: RuntimeEvent[]) => events.flatMap((event) => (event.type === 'ask' ? [event.ask] : []));
const namesOf = (events: RuntimeEvent[]) =>
  events
    .filter(({ type }) => type !== 'turn' && type !== 'delta')
    .map((event) => (event.type === 'entry' ? event.entry.type : event.type))
    .join(' ');

function sessionOf(recording: string): string {
  const [event] = linesOf(opencode, recording).flatMap((line) => ('text' in line ? [line.text] : []));
  return JSON.parse(event as string).properties.sessionID;
}

const decide =
  (answers: Answer[]): OnEvent =>
  (event, session) => {
    if (event.type === 'ask') session.answer?.(event.ask.key, answers.shift() ?? null);
  };

describe('the program', () => {
  test('gets the message in a call, and a password that nobody else has', async () => {
    const ran = await run({ job: { prompt: '--help' } });
    expect((await told(ran)).of('/prompt_async')).toEqual([{ parts: [{ type: 'text', text: '--help' }] }]);
    expect((await ran.given()).args).toEqual(['serve', '--pure', '--hostname=127.0.0.1', '--port=0']);
    expect(opencode.command(ran.job).env.OPENCODE_SERVER_PASSWORD).toBe('key-of-the-attempt');
  });

  test('gets the endpoint, and has no reason to fetch packages', async () => {
    const { job, config } = await configOf({ skills: ['demo'] });
    const options = { baseURL: 'http://127.0.0.1:40000/provider/v1', apiKey: 'key-of-the-attempt' };
    expect(config.provider).toEqual({ anthropic: { options } });
    const folder = join(job.folders.home, '.config/opencode');
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    expect(packages[''].dependencies).toHaveProperty('@opencode-ai/plugin');
    expect(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')).toBe('{}');
    expect(readlinkSync(join(folder, 'skills/demo'))).toBe(join(job.folders.skills, 'demo'));
  });

  test('leaves its database to carry', async () => {
    const job = makeJob();
    mkdirSync(join(job.folders.home, '.local/share/opencode'), { recursive: true });
    writeFileSync(join(job.folders.home, '.local/share/opencode/opencode.db'), '');
    expect(await opencode.sessionFiles?.(job, 'ses_1')).toEqual(['.local/share/opencode/opencode.db']);
  });
});

describe('permissions', () => {
  test('keep to the folders of the attempt, or ask', async () => {
    for (const approvals of ['ask', 'deny'] as const) {
      const { config, job } = await configOf({ approvals });
      const { permission } = config;
      expect(permission).toMatchObject({ '*': 'allow', external_directory: { '*': approvals } });
      expect(permission.external_directory[`${job.folders.tmp}/**`]).toBe('allow');
      const { config: reads } = await configOf({ approvals, permissions: 'read-only' });
      expect(reads.permission).toMatchObject({ '*': approvals, read: 'allow', question: 'allow' });
    }
  });

  test('full allows everything', async () => {
    expect((await configOf({ permissions: 'full', approvals: 'ask' })).config.permission).toEqual({ '*': 'allow' });
  });
});

describe('events', () => {
  test('are the session, entries, and the success with the last text', async () => {
    const { events } = await run({ recording: 'tools', job: { model: 'anthropic/test-model' } });
    const call = 'tool_call tool_result';
    expect(namesOf(events)).toBe(`session text ${call} ${call} file_edit ${call} file_edit plan text success`);
    expect(events[0]).toMatchObject({ id: sessionOf('tools'), model: 'anthropic/test-model' });
    const [text, echo, result, , , added, , , changed, plan] = entriesOf(events);
    expect(text).toEqual({ type: 'text', data: { markdown: 'I look.' } });
    expect(echo?.data).toMatchObject({
      name: 'bash',
      input: { command: 'echo hi; exit 3' },
      summary: 'echo hi; exit 3',
    });
    expect(result?.data).toMatchObject({
      is_error: true,
      exit_code: 3,
      output: 'hi\n',
      duration_ms: expect.any(Number),
    });
    expect(added?.data).toMatchObject({ added: 2, removed: 0, diff: '@@ -0,0 +1,2 @@\n+one\n+two' });
    expect(changed?.data).toMatchObject({ added: 1, removed: 1, diff: '@@ -1,2 +1,2 @@\n one\n-two\n+three\n' });
    expect(plan?.data).toEqual({
      items: [
        { text: 'x', state: 'completed' },
        { text: 'y', state: 'pending' },
      ],
    });
    expect(events.at(-1)).toEqual({ type: 'success', text: 'Done.' });
  });

  test('have texts and outputs while they are written', async () => {
    const { events } = await run({ recording: 'tools' });
    const deltas = events.filter(({ type }) => type === 'delta');
    expect(deltas).toContainEqual({ type: 'delta', text: 'I look.' });
    expect(deltas).toContainEqual({ type: 'delta', text: 'hi\n', callId: expect.any(String) });
  });

  test.each([
    ['unauthorized', 'auth_failed', false],
    ['bad-request', 'no_result', false],
    ['long-limit', 'rate_limited', true],
    ['no-limit', 'rate_limited', true],
  ])('end a recording of %s as %s', async (recording, code, retryable) => {
    const { events, process } = await run({ lines: soon(linesOf(opencode, recording)) });
    expect(events.at(-1)).toEqual({ type: 'failure', code, retryable, message: expect.stringMatching(/\w/) });
    expect(await process.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });

  test('end when the session is lost, which goes on in the folder of this attempt', async () => {
    const session = sessionOf('resumed');
    const resumed = await run({ recording: 'resumed', job: { session } });
    expect(resumed.events.at(-1)).toEqual({ type: 'success', text: 'On it.' });
    const { of } = await told(resumed);
    const destination = { directory: resumed.job.folders.workspace };
    expect(of('/move-session')).toEqual([{ sessionID: session, destination }]);
    const body = { name: 'NotFoundError', data: { message: 'Session not found: ses_1' } };
    const lines = [{ expects: JSON.stringify({ status: 404, body }) }];
    const { events } = await run({ lines, job: { session: 'ses_1' } });
    expect(events).toEqual([
      { type: 'failure', code: 'session_lost', message: 'Session not found: ses_1', retryable: false },
    ]);
  });

  test('end without a success when a call is refused, or the program ends', async () => {
    const [opened] = linesOf(opencode, 'success');
    const refused = { expects: JSON.stringify({ status: 400, body: { name: 'BadRequest', data: {} } }) };
    const { events } = await run({ lines: [opened as Line, refused] });
    expect(events.at(-1)).toMatchObject({
      type: 'failure',
      code: 'no_result',
      message: expect.stringContaining('BadRequest'),
    });
    const killed = await run({
      lines: linesOf(opencode, 'success').slice(0, -3),
      onEvent: (event, { cancel }) => event.type === 'entry' && cancel(),
    });
    expect(namesOf(killed.events)).toBe('session text');
    const broken = await run({ lines: [opened as Line, { text: '{' }] });
    expect(broken.events.at(-1)).toMatchObject({
      type: 'notice',
      text: expect.stringContaining('The connection to opencode has failed: Expected'),
    });
  });
});

/** The hour of a recorded retry is an hour from now. */
function soon(lines: Line[]): Line[] {
  return lines.map((line) => {
    if (!('text' in line) || !line.text.includes('"retry"')) return line;
    const event = JSON.parse(line.text);
    const { status } = event.properties;
    if (status.attempt === 1) recordedAt = status.next - (status.message === 'Slow down' ? 3_600_000 : 1_000);
    status.next += Date.now() - recordedAt;
    return { text: JSON.stringify(event) };
  });
}
let recordedAt = 0;

describe('messages', () => {
  const speak: OnEvent = (event, session) => {
    const command = event.type === 'entry' && event.entry.type === 'tool_call' ? event.entry.data.summary : '';
    if (command.includes('sleep 2')) {
      session.say?.({ id: 'steered', text: 'use French', mode: 'steer' });
      session.say?.({ id: 'queued', text: 'then this', mode: 'queue' });
    } else if (command.includes('sleep 30')) {
      session.say?.({ id: 'interrupts', text: 'stop and do that', mode: 'interrupt' });
    } else if (event.type === 'delivered' && event.id === 'interrupts') {
      session.say?.({ id: 'last', text: 'a long one', mode: 'queue' });
    } else if (command.includes('sleep 31')) session.interrupt?.();
    else if (event.type === 'interrupted') {
      // When opencode has said once more that the turn has ended.
      setTimeout(() => session.say?.({ id: 'goes-on', text: 'go on', mode: 'queue' }), 100);
    }
  };

  test('go into the turn, begin the next one, or stop it', async () => {
    const ran = await run({ recording: 'messages', onEvent: speak });
    const delivered = ran.events.flatMap((event) => (event.type === 'delivered' ? [`${event.id} ${event.as}`] : []));
    expect(delivered).toEqual([
      'steered steer',
      'queued queue',
      'interrupts interrupt',
      'last queue',
      'goes-on prompt',
    ]);
    const { of } = await told(ran);
    expect(of('/abort')).toHaveLength(2);
    expect(ran.events.filter(({ type }) => type === 'interrupted')).toHaveLength(1);
    expect(ran.events.at(-1)).toEqual({ type: 'success', text: 'Three' });
  });

  test('are waited for after an interruption, though the turn ends twice', async () => {
    const lines = linesOf(opencode, 'messages');
    // The person takes longer than the recorded one.
    const at = lines.findLastIndex((line) => 'expects' in line);
    const [prompt] = lines.splice(at, 1);
    const isEnd = (line: Line) => 'text' in line && line.text.includes('"session.idle"');
    lines.splice(lines.findIndex((line, index) => index >= at && isEnd(line)) + 1, 0, prompt as Line);
    const ran = await run({ lines, onEvent: speak });
    expect(ran.events.at(-1)).toEqual({ type: 'success', text: 'Three' });
  });

  test('are sent once, though the turn ends before they are taken', async () => {
    const sessionID = sessionOf('success');
    const event = (type: string, more: object): Line => ({
      text: JSON.stringify({ type, properties: { sessionID, ...more } }),
    });
    const part = { id: 'p2', messageID: 'm2', sessionID, type: 'text', text: 'Two', time: { end: 1 } };
    const more = [
      { expects: JSON.stringify({ status: 204, body: null }) },
      event('message.updated', { info: { id: 'u2', role: 'user' } }),
      event('message.updated', { info: { id: 'm2', role: 'assistant', parentID: 'u2', finish: 'stop' } }),
      event('message.part.updated', { part }),
      event('session.idle', {}),
    ];
    const onEvent: OnEvent = (event, session) => {
      const isFirst = event.type === 'delta' && event.text.startsWith('Hello');
      if (isFirst) session.say?.({ id: 'late', text: 'one more', mode: 'steer' });
    };
    const ran = await run({ lines: [...linesOf(opencode, 'success'), ...more], onEvent });
    expect((await told(ran)).of('/prompt_async').map(({ parts }) => parts[0].text)).toEqual(['Say hello', 'one more']);
    expect(ran.events).toContainEqual({ type: 'delivered', id: 'late', as: 'steer' });
    expect(ran.events.at(-1)).toEqual({ type: 'success', text: 'Two' });
  });

  test('leave the tools of a turn that they stop to the transcript', async () => {
    const { events } = await run({ recording: 'messages', onEvent: speak });
    const calls = entriesOf(events).filter(({ type }) => type === 'tool_call' || type === 'tool_result');
    expect(calls.map(({ type }) => type)).toEqual(['tool_call', 'tool_result', 'tool_call', 'tool_call']);
  });
});

describe('what is asked', () => {
  test('is what leaves the folders: allowed once, denied in words, allowed until the end', async () => {
    const decisions = [['allow'], ['deny'], ['allow_always']];
    const answers = decisions.map((option_ids, at) => ({
      ...NO_ANSWER,
      option_ids,
      text: at === 1 ? 'Not there' : null,
    }));
    const ran = await run({ recording: 'approvals', onEvent: decide(answers) });
    const asked = asksOf(ran.events);
    expect(asked).toMatchObject([
      { kind: 'approval', tool: { name: 'write', input: { filePath: '/var/tmp/oc1', content: 'one\ntwo\n' } } },
      { tool: { name: 'write', input: { filePath: '/var/tmp/oc2' } } },
      { tool: { name: 'bash', input: { command: 'cat /etc/hostname' } } },
    ]);
    const replies = [{ reply: 'once' }, { reply: 'reject', message: 'Not there' }, { reply: 'always' }];
    expect((await told(ran)).of('/reply')).toEqual(replies);
    expect(ran.events.filter(({ type }) => type === 'denied')).toHaveLength(1);
  });

  test('is a question, or a form of several', async () => {
    const values = { question_1: 'SQLite', question_2: ['A'], question_2_other: 'mine' };
    const ran = await run({ recording: 'question', onEvent: decide([{ ...NO_ANSWER, values }]) });
    expect(asksOf(ran.events)).toMatchObject([{ kind: 'form', title: 'DB, Two' }]);
    expect((await told(ran)).of('/reply')).toEqual([{ answers: [['SQLite'], ['A', 'mine']] }]);
  });

  test('is nothing where nobody can permit it', async () => {
    const { events } = await run({ recording: 'denied', job: { permissions: 'read-only' } });
    expect(asksOf(events)).toEqual([]);
    expect(events.at(-1)).toEqual({ type: 'success', text: 'Done.' });
  });

  test('stays open when the session is suspended', async () => {
    const onEvent: OnEvent = (event, session) => event.type === 'ask' && void session.suspend?.();
    const { events, process } = await run({ recording: 'suspended', onEvent });
    expect(namesOf(events)).toBe('session tool_call ask');
    expect(await process.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });
});
