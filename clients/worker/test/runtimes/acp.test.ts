import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { remaining } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { createAcpRuntime } from '../../src/runtimes/catalogue.ts';
import { copilot } from '../../src/runtimes/copilot.ts';
import { gemini } from '../../src/runtimes/gemini.ts';
import { createRules } from '../../src/runtimes/rules.ts';
import type { RuntimeEvent, RuntimeJob, RuntimeSession } from '../../src/runtimes/runtime.ts';
import { collect, makeJob, startRuntime } from './support/runtime-program.ts';

const AGENT = fileURLToPath(new URL('support/fake-acp-agent.ts', import.meta.url));
const NONE = { allow: [], ask: [], deny: [] };
const root = ownFolder();
const { folders } = makeJob(root);
symlinkSync('/etc', join(folders.workspace, 'link'));

const start = (ending: string, more: Partial<RuntimeJob> = {}) =>
  startRuntime(createAcpRuntime(process.execPath, [AGENT, ending]), makeJob(root, more));

async function run(ending: string, more: Partial<RuntimeJob> = {}) {
  const { program, session } = await start(ending, more);
  const events = await collect(session);
  return { program, events, last: events.at(-1) };
}

const SUCCESS: RuntimeEvent[] = [
  { type: 'session', id: 'session-1' },
  { type: 'entry', entry: { type: 'thinking', data: { text: 'Hm.' } } },
  { type: 'delta', text: 'I look ' },
  { type: 'delta', text: 'around.' },
  {
    type: 'entry',
    entry: {
      type: 'plan',
      data: { items: (['completed', 'in_progress', 'pending'] as const).map((state) => ({ text: 'x', state })) },
    },
  },
  { type: 'entry', entry: { type: 'text', data: { markdown: 'I look around.' } } },
  {
    type: 'entry',
    entry: { type: 'tool_call', data: { call_id: 't1', name: 'execute', input: {}, summary: 'ls -l' } },
  },
  { type: 'entry', entry: { type: 'tool_result', data: { call_id: 't1', is_error: false, output: '' } } },
  {
    type: 'used',
    used: { usage: null, cost: { amount: 0.25, currency: 'USD', estimated: true }, model: null },
  },
  { type: 'delta', text: 'All is done.' },
  { type: 'entry', entry: { type: 'text', data: { markdown: 'All is done.' } } },
  {
    type: 'used',
    used: {
      usage: { input_tokens: 30, cached_input_tokens: 20, output_tokens: 7, reasoning_tokens: 2 },
      cost: { amount: 0.25, currency: 'USD', estimated: true },
      model: null,
    },
  },
  { type: 'turn' },
  { type: 'success', text: 'All is done.' },
];

test('tells what an agent says, does and uses, and the last that it said', async () => {
  const { events, program } = await run('success', { prompt: 'x'.repeat(300_000) });
  expect(events).toEqual(SUCCESS);
  expect(await program.exited).toEqual({ code: 0, signal: null });
  expect(program.stderr()).toBe('mode default\nprompt of 300000\n');
});

test('shows output that is not of the protocol, and a message that is too long', async () => {
  const { events } = await run('garbage');
  expect(events.filter(({ type }) => type !== 'notice')).toEqual(SUCCESS);
  expect(events.filter(({ type }) => type === 'notice')).toHaveLength(5);
});

test('reads more events than it keeps', async () => {
  const { program, session } = await start('flood');
  await new Promise((resolve) => setTimeout(resolve, 300));
  const events = await collect(session);
  expect(events).toHaveLength(20_004);
  expect(events.at(-1)).toEqual({ type: 'success', text: 'word '.repeat(20_000).trim() });
  await program.exited;
});

test('reads no more of an agent that asks and asks, and reads no answer', async () => {
  const { program, session } = await start('asks', { permissions: 'read-only' });
  let count = 0;
  const collected = (async () => {
    for await (const { type } of session.events) if (type === 'denied') count++;
  })();
  await until(async () => {
    const before = count;
    await sleep(500);
    return before > 100 && count === before;
  });
  // Of 50,000.
  expect(count).toBeLessThan(25_000);
  program.child.kill('SIGKILL');
  await collected;
}, 40_000);

test.each<[string, RuntimeJob['permissions'], boolean]>([
  ['command', 'read-only', false],
  ['command', 'edit', true],
  ['read', 'read-only', true],
  ['outside', 'edit', false],
  ['outside', 'full', true],
  ['link', 'edit', false],
  ['ask-person', 'read-only', true],
  ['named-so', 'read-only', false],
])('answers the permission for "%s" of an agent that may %s: %s', async (ending, permissions, isAllowed) => {
  const { events } = await run(ending, { permissions });
  expect(events.at(-1)).toEqual({ type: 'success', text: isAllowed ? 'allow_once' : 'reject_once' });
  expect(events.filter(({ type }) => type === 'denied')).toHaveLength(isAllowed ? 0 : 1);
});

test.each([
  ['refusal', 'refused', false],
  ['turns', 'max_turns', false],
  ['tokens', 'max_turns', false],
  ['spontaneous', 'no_result', true],
  ['401', 'auth_failed', false],
  ['auth', 'auth_failed', false],
  ['429', 'rate_limited', true],
  ['500', 'no_result', true],
  ['version', 'no_result', false],
])('fails when the agent ends with "%s": %s', async (ending, code, retryable) => {
  expect((await run(ending)).last).toMatchObject({ type: 'failure', code, retryable });
});

test('leaves an agent that crashes to the worker, which has its exit code and its stderr', async () => {
  const { events, program } = await run('crash');
  expect(events).toEqual([{ type: 'session', id: 'session-1' }]);
  expect(await program.exited).toEqual({ code: 3, signal: null });
});

const ANSWER = { option_ids: null, text: null, values: null };

/** Follows a session, and does something at an event of a type. */
async function talk(
  ending: string,
  more: Partial<RuntimeJob>,
  on: (event: RuntimeEvent, session: RuntimeSession) => unknown,
) {
  const { program, session } = await start(ending, more);
  const events: RuntimeEvent[] = [];
  for await (const event of session.events) {
    events.push(event);
    on(event, session);
  }
  return { events, last: events.at(-1), program };
}

const deliveredOf = (events: RuntimeEvent[]) =>
  events.filter(({ type }) => type === 'delivered' || type === 'interrupted');
const isTool = (event: RuntimeEvent) => event.type === 'entry' && event.entry.type === 'tool_call';

test.each([
  ['option_2', 'allow_once', 0],
  ['option_3', 'reject_once', 1],
])('passes the answer %s to a request for permission on', async (id, chosen, denials) => {
  const { events, last } = await talk('outside', { approvals: 'ask' }, (event, { answer }) => {
    if (event.type === 'ask') answer?.(event.ask.key, { ...ANSWER, option_ids: [id] });
  });
  expect(last).toEqual({ type: 'success', text: chosen });
  expect(events.filter(({ type }) => type === 'denied')).toHaveLength(denials);
  expect(events.find(({ type }) => type === 'ask')).toMatchObject({
    ask: { key: 't1', title: 'edit: Edit', tool: { name: 'edit', input: { locations: [{ path: '/etc/hosts' }] } } },
  });
});

test('asks for a change in the workspace by a path that is the same in another attempt', async () => {
  const job = { permissions: 'read-only', approvals: 'ask' } as const;
  const { events } = await talk(
    'within',
    job,
    (event, { answer }) => event.type === 'ask' && answer?.('t1', { ...ANSWER, option_ids: ['option_2'] }),
  );
  expect(events.find(({ type }) => type === 'ask')).toMatchObject({
    ask: { tool: { input: { locations: [{ path: 'a' }] } } },
  });
});

test('says the words of a denial in the next turn', async () => {
  const { last } = await talk('chat-denied', { approvals: 'ask' }, (event, { answer }) => {
    if (event.type === 'ask') answer?.(event.ask.key, { ...ANSWER, option_ids: ['option_3'], text: 'Not there' });
  });
  expect(last).toMatchObject({ type: 'success', text: expect.stringMatching(/^heard .* has denied .*: Not there$/) });
});

test('asks a person what the agent asks by a form', async () => {
  const { last, events } = await talk('question', {}, (event, { answer }) => {
    if (event.type === 'ask') answer?.(event.ask.key, { ...ANSWER, values: { branch: 'main' } });
  });
  expect(events).toContainEqual({
    type: 'ask',
    ask: expect.objectContaining({ kind: 'form', title: 'Which branch?' }),
  });
  expect(last).toEqual({ type: 'success', text: '{"action":"accept","content":{"branch":"main"}}' });
});

test('prompts again with a queued message, after the turn or after an interruption', async () => {
  const { events, last } = await talk('chat', {}, (event, { say, interrupt }) => {
    if (isTool(event)) interrupt?.();
    if (event.type !== 'interrupted') return;
    say?.({ id: 'm1', text: 'one', mode: 'queue' });
    say?.({ id: 'm2', text: 'two', mode: 'queue' });
  });
  expect(last).toEqual({ type: 'success', text: 'heard two' });
  expect(deliveredOf(events)).toEqual([
    { type: 'interrupted' },
    { type: 'delivered', id: 'm1', as: 'prompt' },
    { type: 'delivered', id: 'm2', as: 'queue' },
  ]);
});

test('stops a turn for a message', async () => {
  const { events, last } = await talk('chat', {}, (event, { say }) => {
    if (isTool(event)) say?.({ id: 'm1', text: 'this', mode: 'interrupt' });
  });
  expect(last).toEqual({ type: 'success', text: 'heard this' });
  expect(deliveredOf(events)).toEqual([{ type: 'delivered', id: 'm1', as: 'interrupt' }]);
});

test('asks what now after an interruption before it goes on with what is queued', async () => {
  const { events, last } = await talk('chat', {}, (event, { say, interrupt }) => {
    if (isTool(event)) {
      say?.({ id: 'm1', text: 'queued', mode: 'queue' });
      interrupt?.();
    } else if (event.type === 'interrupted') say?.({ id: 'm2', text: 'go on', mode: 'queue' });
  });
  expect(last).toEqual({ type: 'success', text: 'heard queued' });
  expect(deliveredOf(events)).toEqual([
    { type: 'interrupted' },
    { type: 'delivered', id: 'm2', as: 'prompt' },
    { type: 'delivered', id: 'm1', as: 'queue' },
  ]);
});

test('queues a word for the running turn where the agent takes none', async () => {
  const { events, last } = await talk('chat-no-steering', {}, (event, { say }) => {
    if (isTool(event)) {
      say?.({ id: 'm1', text: 'French', mode: 'steer' });
      say?.({ id: 'm2', text: 'go on', mode: 'interrupt' });
    }
  });
  expect(last).toEqual({ type: 'success', text: 'heard French' });
  expect(deliveredOf(events).at(-1)).toEqual({ type: 'delivered', id: 'm1', as: 'queue' });
});

test('steers an adapter that takes it, by no command', async () => {
  const { events, last } = await talk('chat', {}, (event, { say }) => {
    if (isTool(event)) say?.({ id: 'm1', text: '/french', mode: 'steer' });
  });
  expect(last).toEqual({ type: 'success', text: 'steered to The task:\n\n/french' });
  expect(deliveredOf(events)).toEqual([{ type: 'delivered', id: 'm1', as: 'steer' }]);
});

test('ends a session that is suspended, whose questions stay open', async () => {
  let suspended: Promise<void> | undefined;
  const { events } = await talk('outside', { approvals: 'ask' }, ({ type }, { suspend }) => {
    if (type === 'ask') suspended = suspend?.();
  });
  await suspended;
  expect(events.some(({ type }) => type === 'success' || type === 'failure')).toBe(false);
});

test('tells edits with their lines, and results with their exit code', async () => {
  const { events } = await run('edit');
  const entries = events.flatMap((event) => (event.type === 'entry' ? [event.entry] : []));
  expect(entries).toContainEqual({
    type: 'file_edit',
    data: { path: 'a.txt', added: 1, removed: 1, diff: '@@ -2,1 +2,1 @@\n-two\n+three' },
  });
  expect(entries.at(-1)).toEqual({
    type: 'tool_result',
    data: { call_id: 't2', is_error: true, output: 'no such file', exit_code: 3 },
  });
});

test('Copilot fails where it only says that its model call has failed', async () => {
  const { session } = await startRuntime(copilot, makeJob(root), [process.execPath, AGENT, 'own-words']);
  expect((await collect(session)).at(-1)).toMatchObject({ type: 'failure', code: 'rate_limited', retryable: true });
});

test.each<[string, Partial<RuntimeJob>, string, number]>([
  ['denies', { rules: createRules({ ...NONE, deny: ['Bash(make *)'] }, 'edit') }, 'reject_once', 0],
  ['asks for', { rules: createRules({ ...NONE, ask: ['Bash'] }, 'edit'), approvals: 'ask' }, 'allow_once', 1],
  ['asks nobody for', { rules: createRules({ ...NONE, ask: ['Bash'] }, 'edit') }, 'reject_once', 0],
])('%s a command that a rule names', async (_title, job, chosen, asked) => {
  const { session } = await start('command', job);
  const events: RuntimeEvent[] = [];
  for await (const event of session.events) {
    events.push(event);
    if (event.type === 'ask') session.answer(event.ask.key, { option_ids: ['option_2'], text: null, values: null });
  }
  expect(events.at(-1)).toMatchObject({ type: 'success', text: chosen });
  expect(events.filter(({ type }) => type === 'ask')).toHaveLength(asked);
});

test('tells an agent without a system prompt of ours its instructions before the task', async () => {
  const { program } = await run('success', { prompt: 'Go', instructions: 'Be brief' });
  const text = 'Your instructions:\n\nBe brief\n\nThe task:\n\nGo';
  expect(program.stderr()).toContain(`prompt of ${text.length}\n`);
});

test('does not work without the servers of its definition', async () => {
  const servers = [{ name: 'issues', url: 'http://127.0.0.1:9/', headers: { 'x-key': 'k' } }];
  const { events } = await run('no-http', { servers });
  expect(events.at(-1)).toMatchObject({ code: 'mcp_unavailable', message: expect.stringContaining('issues') });
});

test('offers the server of the worker that asks people', async () => {
  const servers = [{ name: 'fleet', url: 'http://127.0.0.1:9/', headers: { 'x-key': 'k' } }];
  const { program } = await run('success', { servers });
  expect(program.stderr()).toContain('server fleet x-key\n');
});

test('Gemini CLI and Copilot give a person days to answer, and Gemini CLI trusts a folder without settings', async () => {
  const job = makeJob(join(root, 'task', '2'), {
    servers: [{ name: 'fleet', url: 'http://127.0.0.1:9/', headers: { 'x-key': 'k' } }],
  });
  const settings = join(job.folders.workspace, '.gemini');
  mkdirSync(settings);
  for (const runtime of [gemini, copilot]) await runtime.prepare(job);
  const [server, other] = ['.gemini/settings.json', '.copilot/mcp-config.json'].map(
    (file) => JSON.parse(readFileSync(join(job.folders.home, file), 'utf8')).mcpServers.fleet,
  );
  expect(server).toEqual({
    httpUrl: 'http://127.0.0.1:9/',
    headers: { 'x-key': 'k' },
    timeout: 604_800_000,
    trust: true,
  });
  expect(other).toMatchObject({ url: 'http://127.0.0.1:9/', headers: { 'x-key': 'k' }, timeout: 604_800_000 });
  await gemini.prepare(job);
  expect(existsSync(settings)).toBe(false);
  const { session } = await startRuntime(gemini, job, [process.execPath, AGENT, 'success']);
  await collect(session);
  expect(existsSync(settings)).toBe(true);
});

test('goes on with a session without what was said before', async () => {
  const { events } = await run('success', { session: 'session-1' });
  const texts = events.filter(({ type }) => type === 'delta');
  expect(texts).toEqual(SUCCESS.filter(({ type }) => type === 'delta'));
  expect(events.at(-1)).toEqual({ type: 'success', text: 'All is done.' });
});

test.each([
  ['success', 'unknown'],
  ['no-load', 'session-1'],
])('reports a lost session where an agent that ends with "%s" does not load "%s"', async (ending, session) => {
  expect((await run(ending, { session })).last).toMatchObject({
    type: 'failure',
    code: 'session_lost',
    retryable: false,
  });
});

test('sets the model', async () => {
  const { program, events } = await run('success', { model: 'big' });
  expect(program.stderr()).toContain('model big\n');
  expect(events[0]).toEqual({ type: 'session', id: 'session-1', model: 'big' });
});

test('cancels the prompt, so that the agent ends its tools and then itself', async () => {
  const { program, session } = await start('hang');
  const events: RuntimeEvent[] = [];
  for await (const event of session.events) {
    events.push(event);
    if (isTool(event)) session.cancel();
  }
  const found = events.find(isTool) as { entry: { data: { summary: string } } } | undefined;
  const pid = Number(found?.entry.data.summary.replace('sleep ', ''));
  expect(await program.exited).toEqual({ code: 0, signal: null });
  expect(await remaining([{ pid, parent: 0, command: 'sleep 600' }], 10_000)).toEqual([]);
});

test('ends an agent that is cancelled before it has answered', async () => {
  const { program, session } = await start('mute');
  setTimeout(session.cancel, 100);
  expect(await collect(session)).toEqual([]);
  expect(await program.exited).toEqual({ code: 0, signal: null });
});

test('Copilot unpacks its packages once for all attempts', async () => {
  const job = makeJob(join(root, 'task', '1'));
  await copilot.prepare(job);
  await copilot.prepare(job);
  const shared = join(root, '.shared/.cache/copilot/pkg');
  expect(readlinkSync(join(job.folders.home, '.cache/copilot/pkg'))).toBe(shared);
});

test('links the skills, also where an agent left links to other places', async () => {
  rmSync(join(folders.home, '.agents'), { recursive: true, force: true });
  symlinkSync('/etc', join(folders.home, '.agents'));
  await run('success', { skills: ['good'] });
  expect(readlinkSync(join(folders.home, '.agents/skills/good'))).toBe(join(folders.skills, 'good'));
});

test.each(['/extensions install https://example.com/', ' \n/init', '$x'])(
  'a message is no command: %j',
  async (prompt) => {
    const { program } = await run('end_turn', { prompt });
    await program.exited;
    // The agent tells the length of what it was sent.
    expect(program.stderr()).toContain(`prompt of ${'The task:\n\n'.length + prompt.length}\n`);
  },
);
