import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelRequest, Reply } from '@agent-fleet/scripts/testing/model-server/model-api';
import { type ModelServer, startModelServer } from '@agent-fleet/scripts/testing/model-server/model-server';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { packSession, unpackSession } from '../../src/attempt/session-files.ts';
import { claudeCode } from '../../src/runtimes/claude-code.ts';
import type { RuntimeEvent, RuntimeJob, RuntimeSession } from '../../src/runtimes/runtime.ts';
import { collect, makeJob, startRuntime } from './support/runtime-program.ts';

/**
 * What is particular to Claude Code; `e2e/runtimes` has what all runtimes do. Its license forbids to ship it: whoever
 * has it runs these.
 */
function findVersion(): string | undefined {
  try {
    return /^\d+\.\d+\.\d+/.exec(execFileSync('claude', ['--version'], { encoding: 'utf8' }))?.[0];
  } catch {
    return undefined;
  }
}

const version = findVersion();
const describeReal = version === undefined ? describe.skip : describe;
const title = version === undefined ? 'Claude Code (skipped: there is no `claude` on PATH)' : `Claude Code ${version}`;
const KEY = 'key-of-the-attempt';

let server: ModelServer;
let reply: (request: ModelRequest) => Reply = () => ({ text: 'Hello there.' });
let root = '';
const base = ownFolder();

beforeAll(async () => {
  server = await startModelServer({ key: KEY, reply: (request) => reply(request) });
});
beforeEach(() => {
  root = join(mkdtempSync(join(base, 'task-')), '1');
  makeJob(root);
});
afterAll(() => server?.close());

/** Says each of the replies once, in their order; requests without tools are for titles and the like. */
function say(...replies: Reply[]): void {
  reply = ({ tools }) => (tools.length === 0 ? { text: 'A title' } : (replies.shift() ?? { text: 'Done.' }));
}

async function run(given: Partial<RuntimeJob> = {}) {
  const job = makeJob(root, { endpoint: { baseUrl: server.url, key: KEY }, ...given });
  const { home, tmp } = job.folders;
  const { session } = await startRuntime(claudeCode, job, [], { PATH: process.env.PATH, HOME: home, TMPDIR: tmp });
  const events = await collect(session);
  return { events, ending: events.at(-1), job };
}

const bash = (command: string) => ({ name: 'Bash', args: { command } });
const sessionOf = (events: RuntimeEvent[]) => events.find((event) => event.type === 'session')?.id;
const hasSandbox = (events: RuntimeEvent[]) =>
  !events.some((event) => event.type === 'notice' && /sandbox/.test(event.text));

describeReal(title, () => {
  test('runs commands in a sandbox without other attempts and without a network, or not at all', async () => {
    const other = join(dirname(dirname(root)), 'task-other');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'secret'), 'SECRET-OF-ANOTHER');
    const outside = join(other, 'written');
    const { port } = new URL(server.url);
    const connect = `(exec 3<>/dev/tcp/127.0.0.1/${port}) && echo CONN-ECTED`;
    const worker = `tr '\\0' ' ' < /proc/${process.pid}/cmdline`;
    const command = `cat ${other}/secret; echo x > ${outside}; echo made > made.txt; ${connect}; ${worker}`;
    say({ tools: [bash(command), { name: 'Read', args: { file_path: join(other, 'secret') } }] });
    const { events, job } = await run();
    const results = server.requests.at(-1)?.toolResults.join('\n') ?? '';
    expect(results).not.toMatch(/SECRET-OF-ANOTHER|CONN-ECTED\n|jest/);
    expect(existsSync(outside)).toBe(false);
    expect(existsSync(join(job.folders.workspace, 'made.txt'))).toBe(hasSandbox(events));
    expect(events).toContainEqual(expect.objectContaining({ type: 'denied', tool: 'Read' }));
  });

  test('cannot write when it is read-only', async () => {
    const write = { name: 'Write', args: { file_path: join(root, 'workspace/a.txt'), content: 'x' } };
    say({ tools: [bash('echo x > b.txt'), write] });
    const { job, ending } = await run({ permissions: 'read-only' });
    expect(ending).toMatchObject({ type: 'success' });
    expect(readdirSync(job.folders.workspace)).toEqual([]);
  });

  test('reads a skill of the task, which grants itself nothing', async () => {
    const skill = join(root, 'skills/demo');
    mkdirSync(skill);
    const hook = `hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: touch ${root}/hooked`;
    const head = `---\nname: demo\ndescription: SKILL-MARK\nallowed-tools: Bash(*)\n${hook}\n---\n`;
    writeFileSync(join(skill, 'SKILL.md'), `${head}Read more.md`);
    writeFileSync(join(skill, 'more.md'), 'MORE-OF-THE-SKILL');
    const more = join(root, 'home/fleet-plugin/skills/demo/more.md');
    say(
      { tools: [{ name: 'Skill', args: { skill: 'demo' } }] },
      { tools: [{ name: 'Read', args: { file_path: more } }] },
    );
    await run({ skills: ['demo'], permissions: 'read-only' });
    const body = JSON.stringify(server.requests.at(-1)?.body);
    expect(body).toContain('SKILL-MARK');
    expect(body).toContain('MORE-OF-THE-SKILL');
    expect(existsSync(join(root, 'hooked'))).toBe(false);
  });

  test('takes new instructions into a session that goes on', async () => {
    const { events } = await run({ instructions: 'OLD-INSTRUCTIONS' });
    await run({ instructions: 'NEW-INSTRUCTIONS', session: sessionOf(events) });
    const body = JSON.stringify(server.requests.at(-1)?.body);
    expect(body).toContain('NEW-INSTRUCTIONS');
    expect(body).not.toContain('OLD-INSTRUCTIONS');
  });

  const answered = { option_ids: ['allow'], text: null, values: null };
  const command = 'sleep 0; echo ran >> ran.txt';
  const ran = (job: RuntimeJob) => {
    const path = join(job.folders.workspace, 'ran.txt');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };

  async function talk(given: Partial<RuntimeJob>, on: (event: RuntimeEvent, session: RuntimeSession) => unknown) {
    const job = makeJob(root, { endpoint: { baseUrl: server.url, key: KEY }, approvals: 'ask', ...given });
    const { home, tmp } = job.folders;
    const env = { PATH: process.env.PATH, HOME: home, TMPDIR: tmp };
    const { session, program } = await startRuntime(claudeCode, job, [], env);
    const events: RuntimeEvent[] = [];
    for await (const event of session.events) {
      events.push(event);
      on(event, session);
    }
    await program.exited;
    return { events, job };
  }

  test('asks a person, whose answer it goes on with', async () => {
    const options = [
      { label: 'A', description: 'a' },
      { label: 'B', description: 'b' },
    ];
    const questions = [{ question: 'Which one?', header: 'Pick', multiSelect: false, options }];
    say({ tools: [{ name: 'AskUserQuestion', args: { questions } }] }, { text: 'B it is.' });
    const { events } = await talk({}, (event, { answer }) => {
      if (event.type === 'ask') answer?.(event.ask.key, { ...answered, option_ids: ['option_2'] });
    });
    expect(events.at(-1)).toEqual({ type: 'success', text: 'B it is.' });
    expect(server.requests.at(-1)?.toolResults.join()).toContain('"Which one?"="B"');
  });

  test('is told what to do in the middle of a command, and after it was stopped', async () => {
    say({ tools: [bash('sleep 60; true')] }, { text: 'Stopped.' });
    const { events } = await talk({ permissions: 'full' }, (event, { interrupt, say: tell }) => {
      if (event.type === 'entry' && event.entry.type === 'tool_call') interrupt?.();
      if (event.type === 'interrupted') tell?.({ id: 'm1', text: 'Stop here', mode: 'queue' });
    });
    expect(events).toContainEqual({ type: 'delivered', id: 'm1', as: 'prompt' });
    expect(events.at(-1)).toEqual({ type: 'success', text: 'Stopped.' });
  });

  test.each([
    ['allow', 'ran\n'],
    ['deny', ''],
  ])('asks again in another home what it has deferred: %s', async (chosen, expected) => {
    say({ tools: [bash(command), bash('sleep 0; touch other')] }, { text: 'Done.' });
    const first = await talk({}, (event, { suspend }) => event.type === 'ask' && suspend?.());
    const session = sessionOf(first.events) ?? '';
    const files = await claudeCode.sessionFiles?.(first.job, session);
    const data = (await packSession(first.job.folders, files ?? [])) ?? '';
    root = join(mkdtempSync(join(base, 'task-')), '1');
    await unpackSession(makeJob(root).folders, data);
    const { events, job } = await talk({ session, prompt: '' }, (event, { answer }) => {
      if (event.type === 'ask') answer?.(event.ask.key, { ...answered, option_ids: [chosen] });
    });
    expect(first.events.at(-1)).toMatchObject({ type: 'deferred' });
    expect(events.at(-1)).toEqual({ type: 'success', text: 'Done.' });
    expect(ran(job)).toBe(expected);
  });
});
