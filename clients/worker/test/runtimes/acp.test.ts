import { readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { remaining } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { createAcpRuntime } from '../../src/runtimes/catalogue.ts';
import type { RuntimeEvent, RuntimeJob } from '../../src/runtimes/runtime.ts';
import { collect, makeJob, startRuntime } from './support/runtime-program.ts';

const AGENT = fileURLToPath(new URL('support/fake-acp-agent.ts', import.meta.url));
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
  { type: 'text', text: 'I look ' },
  { type: 'text', text: 'around.' },
  { type: 'plan', done: 1, total: 3 },
  { type: 'tool', name: 'execute', detail: 'ls -l' },
  {
    type: 'used',
    used: { usage: null, cost: { amount: 0.25, currency: 'USD', estimated: true }, model: null },
  },
  { type: 'text', text: 'All is done.' },
  {
    type: 'used',
    used: {
      usage: { input_tokens: 30, cached_input_tokens: 20, output_tokens: 7, reasoning_tokens: 2 },
      cost: { amount: 0.25, currency: 'USD', estimated: true },
      model: null,
    },
  },
  { type: 'success', text: 'All is done.' },
];

test('tells what an agent says, does and uses, and the last that it said', async () => {
  const { events, program } = await run('success', { prompt: 'x'.repeat(300_000) });
  expect(events).toEqual(SUCCESS);
  expect(await program.exited).toEqual({ code: 0, signal: null });
  expect(program.stderr()).toBe('prompt of 300000\n');
});

test('ignores output that is not of the protocol', async () => {
  expect((await run('garbage')).events).toEqual(SUCCESS);
});

test('reads more events than it keeps', async () => {
  const { program, session } = await start('flood');
  await new Promise((resolve) => setTimeout(resolve, 300));
  const events = await collect(session);
  expect(events).toHaveLength(20_002);
  expect(events.at(-1)).toEqual({ type: 'success', text: 'word '.repeat(20_000).trim() });
  await program.exited;
});

test('reads no more of an agent that asks and asks, and reads no answer', async () => {
  const { program } = await start('asks');
  let bytes = 0;
  program.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await until(async () => {
    const before = bytes;
    await sleep(1_000);
    return before > 200_000 && bytes === before;
  });
  // Of 35 MB.
  expect(bytes).toBeLessThan(5_000_000);
}, 40_000);

test.each<[string, RuntimeJob['permissions'], boolean]>([
  ['command', 'read-only', false],
  ['command', 'edit', true],
  ['read', 'read-only', true],
  ['outside', 'edit', false],
  ['outside', 'full', true],
  ['link', 'edit', false],
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
  ['huge', 'no_result', true],
  ['version', 'no_result', false],
])('fails when the agent ends with "%s": %s', async (ending, code, retryable) => {
  expect((await run(ending)).last).toMatchObject({ type: 'failure', code, retryable });
});

test('leaves an agent that crashes to the worker, which has its exit code and its stderr', async () => {
  const { events, program } = await run('crash');
  expect(events).toEqual([{ type: 'session', id: 'session-1' }]);
  expect(await program.exited).toEqual({ code: 3, signal: null });
});

test('ends with the question of an agent', async () => {
  expect((await run('question')).last).toEqual({ type: 'question', text: 'Which branch?' });
});

test('goes on with a session without what was said before', async () => {
  const { events } = await run('success', { session: 'session-1' });
  const texts = events.filter(({ type }) => type === 'text');
  expect(texts).toEqual(SUCCESS.filter(({ type }) => type === 'text'));
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
    if (event.type === 'tool') session.cancel();
  }
  const { detail } = events.at(-1) as Extract<RuntimeEvent, { type: 'tool' }>;
  const pid = Number(detail.replace('sleep ', ''));
  expect(await program.exited).toEqual({ code: 0, signal: null });
  expect(await remaining([{ pid, parent: 0, command: 'sleep 600' }], 10_000)).toEqual([]);
});

test('ends an agent that is cancelled before it has answered', async () => {
  const { program, session } = await start('mute');
  setTimeout(session.cancel, 100);
  expect(await collect(session)).toEqual([]);
  expect(await program.exited).toEqual({ code: 0, signal: null });
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
