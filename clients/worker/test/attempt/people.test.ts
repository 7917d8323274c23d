import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { packSession, unpackSession } from '../../src/attempt/session-files.ts';
import { toolDigest } from '../../src/attempt/tool-digest.ts';
import { TaskAbortError } from '../../src/errors.ts';
import type { Answer, Ask } from '../../src/messages.ts';
import type { TaskContext, TaskMessage } from '../../src/options.ts';
import type { Runtime } from '../../src/runtimes/runtime.ts';
import { say, shellRuntime, useAgents } from './support/fake-agent.ts';

const { start, base } = useAgents();
const TOOL = { name: 'Bash', input: { command: 'rm x' } };
const ALLOW: NonNullable<Answer> = { option_ids: ['allow'], text: null, values: null };
const APPROVAL: Ask = {
  key: 'call-1',
  kind: 'approval',
  title: 'Bash: rm x',
  tool: TOOL,
  options: [
    { id: 'allow', label: 'Allow', role: 'allow' },
    { id: 'deny', label: 'Deny', role: 'deny' },
  ],
};
const SESSION = say({ type: 'session', id: 's1' });
/** Ends with what it is told next as its text. */
const ECHO = `read -r line; printf '{"type":"success","text":"%s"}\\n' "$(echo "$line" | tr -d '"{}')"`;
const ASKS = `${SESSION}; ${say({ type: 'ask', ask: APPROVAL })}; ${ECHO}`;
const textOf = async (result: Promise<unknown>) => ((await result) as { text: string }).text;
const messages: Runtime['accepts'] = ['messages', 'interrupt', 'input'];

describe('an approval', () => {
  test('is asked, and its answer passed on, while all clocks stand still', async () => {
    const answer = { ...ALLOW, tool_digest: toolDigest(TOOL) };
    const slow = async () => {
      await sleep(1_500);
      return answer;
    };
    const { result, told } = start(ASKS, { idleSeconds: 1 }, { timeout_seconds: 2 }, { answer: slow });
    expect(await textOf(result)).toMatch(/^answer call-1 option_ids:\[allow\]/);
    expect(told.asked).toEqual([APPROVAL]);
  });

  test('is no approval of another call', async () => {
    const { result } = start(
      ASKS,
      {},
      {},
      { answer: () => ({ ...ALLOW, tool_digest: toolDigest({ ...TOOL, input: 1 }) }) },
    );
    expect(await textOf(result)).toMatch(/option_ids:null,text:This call is not the one/);
  });

  test('shows no secret, and then cannot be edited', async () => {
    const secret = 'the-key-of-the-fleet';
    const tool = { name: 'Bash', input: { command: `curl ${secret}` } };
    const asked = say({ type: 'ask', ask: { ...APPROVAL, tool, input_editable: true } });
    const redacted = { name: 'Bash', input: { command: 'curl [redacted]' } };
    const options = { env: { PATH: process.env.PATH, FLEET_API_KEY: secret } };
    const answer = () => ({ ...ALLOW, tool_digest: toolDigest(redacted) });
    const { result, told } = start(`${SESSION}; ${asked}; ${ECHO}`, options, {}, { answer });
    expect(await textOf(result)).toMatch(/option_ids:\[allow\]/);
    expect(told.asked[0]?.tool).toEqual(redacted);
    expect(told.asked[0]).not.toHaveProperty('input_editable');
  });

  test('is denied where no person can be asked', async () => {
    const answer = () => Promise.reject(new Error('409'));
    const { result, told } = start(ASKS, {}, {}, { answer });
    expect(await textOf(result)).toBe('answer call-1 null');
    expect(told.log).toContainEqual(expect.objectContaining({ level: 'warn', text: 'No person can be asked: 409' }));
  });
});

test('a form has no place for words, and nothing is said twice', async () => {
  const ask = { key: 'e1', kind: 'form', title: 'Which branch?', text: 'Which branch?', schema: {} } as const;
  const { result, told } = start(`${SESSION}; ${say({ type: 'ask', ask })}; ${ECHO}`, {}, {}, { answer: () => ALLOW });
  await result;
  expect(told.asked).toEqual([{ key: 'e1', kind: 'form', title: 'Which branch?', schema: {}, allow_text: false }]);
});

test('a digest is that of RFC 8785', () => {
  const input = { z: 1e21, a: ['é', null] };
  // printf '{"input":{"a":["é",null],"z":1e+21},"name":"x"}' | sha256sum
  const expected = 'sha256:833e11db3574a6b1144fd3ccf1b34183a189c2be21a51a27d0e0996ae784adb0';
  expect(toolDigest({ name: 'x', input })).toBe(expected);
});

describe('messages', () => {
  const told: string[] = [];
  const message = (id: string | null, text: string, mode: TaskMessage['mode'] = 'queue'): TaskMessage => ({
    ...{ id, text, mode },
    delivered: (as) => void told.push(`${id ?? 'interruption'} as ${as ?? mode}`),
    dropped: () => void told.push(`${id} dropped`),
  });

  test('that came before are part of the prompt, and later ones are passed on', async () => {
    told.splice(0);
    const runtime = shellRuntime(`${say({ type: 'delivered', id: 'm2', as: 'queue' })}; ${ECHO}`, [], {
      accepts: messages,
    });
    const people = {
      said: [message('m1', 'in French')],
      messages: async function* () {
        yield message('m2', 'and short');
      },
    };
    const { result } = start('', { runtime }, {}, people);
    expect(await textOf(result)).toBe('say m2 queue and short');
    expect(told).toEqual(['m1 as prompt', 'm2 as queue']);
  });

  test('say what to do after an interruption', async () => {
    told.splice(0);
    const script = `read -r line; ${say({ type: 'interrupted' })}; ${ECHO}`;
    const runtime = shellRuntime(script, [], { accepts: messages });
    const people = {
      messages: async function* () {
        yield message(null, '', 'interrupt');
        await until(() => told.length > 0);
        yield message(null, 'go on');
      },
    };
    const { result } = start('', { runtime, idleSeconds: 1 }, {}, people);
    expect(await textOf(result)).toBe('say go-on-1 queue go on');
    expect(told).toEqual(['interruption as interrupt']);
  });
});

describe('a suspension', () => {
  /** Asks, and defers when it is told to suspend; a resumed one asks again. */
  const script = `${SESSION}; ${say({ type: 'ask', ask: APPROVAL })}; read -r line
    if [ "$line" = suspend ]; then ${say({ type: 'deferred', key: 'call-1' })}; exit 0; fi
    printf '{"type":"success","text":"%s %s %s"}\\n' "$SESSION" "$(echo "$PROMPT" | tr "\\n" " ")" "$(echo "$line" | tr -d '"{}')"`;
  const sessionFiles = async () => ['s/one.jsonl'];
  const suspended = new TaskAbortError('suspended');

  async function suspend(more: object = {}) {
    const runtime = shellRuntime(`mkdir -p "$HOME/s"; echo '{}' > "$HOME/s/one.jsonl"; ${script}`, [], {
      sessionFiles,
      ...more,
    });
    const waiting = Promise.withResolvers<Answer>();
    const people = { answer: () => waiting.promise, onSuspend: () => Promise.reject(suspended) };
    const { result, told } = start('', { runtime, keep: 'none' }, { id: `suspended-${Math.random()}` }, people);
    await until(() => told.asked.length > 0);
    told.hold();
    await expect(result).rejects.toBe(suspended);
    waiting.reject(suspended);
    const [session] = told.sessions;
    return { session, runtime, root: told.jobs[0]?.folders.root };
  }

  const resumeOf = (session: unknown, answer: Answer): TaskContext['resume'] =>
    ({
      session,
      state: { deferred: ['call-1'] },
      answers: [
        { key: 'call-1', title: 'Bash: rm x', tool: { ...TOOL, digest: toolDigest(TOOL) }, options: [], answer },
      ],
    }) as unknown as TaskContext['resume'];

  test('lets another worker go on: the call is asked again, and has its answer', async () => {
    const { session, runtime } = await suspend();
    expect(session).toMatchObject({ runtime: 'fake', id: 's1', data: expect.any(String) });
    rmSync(base, { recursive: true, force: true });
    const { result, told } = start('', { runtime }, {}, { resume: resumeOf(session, ALLOW) });
    expect(await textOf(result)).toMatch(/^s1 {2,3}answer call-1 option_ids:\[allow\]/);
    expect(told.asked).toEqual([]);
  });

  test('keeps the session here where the agent has changed files', async () => {
    const { session } = await suspend({
      prepare: async ({ folders }: { folders: { workspace: string } }) =>
        writeFileSync(join(folders.workspace, 'made.txt'), ''),
    });
    expect(session).toEqual({ runtime: 'fake', id: 's1' });
  });

  test('tells the answer in the prompt where the session asks nothing again', async () => {
    const { session, runtime } = await suspend();
    const resume = { ...resumeOf(session, { ...ALLOW, text: 'do it' }), state: null } as TaskContext['resume'];
    const { result } = start('', { runtime }, {}, { resume });
    expect(await textOf(result)).toMatch(/A person has answered.*Bash: rm x.*do it/);
  });

  test('for which the answer comes just then starts the program again', async () => {
    const runtime = shellRuntime(script, [], { sessionFiles });
    const { result, told } = start(
      '',
      { runtime },
      {},
      {
        answer: async () => {
          await until(() => told.sessions.length > 0);
          return ALLOW;
        },
      },
    );
    await until(() => told.asked.length > 0);
    told.hold();
    expect(await textOf(result)).toMatch(/^s1 {2,3}answer call-1 option_ids:\[allow\]/);
    expect(told.asked).toHaveLength(1);
  });
});

test('files of a session are packed, but no links, and unpacked below the home only', async () => {
  const home = join(base, '..', 'home');
  const folders = { home } as Parameters<typeof packSession>[0];
  mkdirSync(join(home, 'a/b'), { recursive: true });
  writeFileSync(join(home, 'a/b/c'), Buffer.from([0, 255, 10]));
  const data = (await packSession(folders, ['a/b/c', 'missing'])) ?? '';
  rmSync(join(home, 'a'), { recursive: true });
  await unpackSession(folders, data);
  expect(readFileSync(join(home, 'a/b/c'))).toEqual(Buffer.from([0, 255, 10]));
  expect(await packSession(folders, ['missing'])).toBeUndefined();
  const { gzipSync } = await import('node:zlib');
  const evil = gzipSync(JSON.stringify({ '../evil': 'x' })).toString('base64');
  await expect(unpackSession(folders, evil)).rejects.toMatchObject({ code: 'session_lost' });
  expect(existsSync(join(base, '../evil'))).toBe(false);
});
