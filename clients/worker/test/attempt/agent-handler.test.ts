import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Task } from '@agent-fleet/sdk';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import type { AgentOptions } from '../../src/attempt/agent-options.ts';
import { TaskAbortError, type TaskError } from '../../src/errors.ts';
import type { RuntimeEvent, RuntimeJob } from '../../src/runtimes/runtime.ts';
import type { Used } from '../../src/task.ts';
import { expectEnd, writtenBy } from '../support/programs.ts';
import { DONE, say, shellRuntime, useAgents } from './support/fake-agent.ts';

const agents = useAgents();
const { start } = agents;
const cancelled = new TaskAbortError('cancelled');
let count = 0;
const newFile = () => join(agents.folder, `file-${++count}`);

const usedOf = (input: number, amount: number): Used => ({
  usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: 1, reasoning_tokens: 0 },
  cost: { amount, currency: 'USD', estimated: false },
  model: 'm1',
});

describe('a success', () => {
  test('has the text, the session, usage and denials of the runtime in its result', async () => {
    const events: RuntimeEvent[] = [
      { type: 'session', id: 's1', model: 'm0' },
      { type: 'denied', tool: 'Bash', detail: 'rm -rf /' },
      { type: 'used', used: usedOf(10, 0.5) },
      { type: 'turn', calls: 3 },
      { type: 'success', text: 'all done' },
    ];
    const { result, told } = start(events.map(say).join('\n'));
    await expect(result).resolves.toEqual({
      text: 'all done',
      output: null,
      session: { runtime: 'fake', id: 's1' },
      ...usedOf(10, 0.5),
      turns: 3,
      duration_ms: expect.any(Number),
      permission_denials: [{ tool: 'Bash', detail: 'rm -rf /' }],
      skills: [],
      changes: null,
    });
    expect(told.used.at(-1)).toEqual(usedOf(10, 0.5));
    const { usage, cost } = usedOf(10, 0.5);
    expect(told.log.filter(({ type }) => type === 'usage').map(({ data }) => data)).toEqual([{ ...usage, cost }]);
  });

  test('ends a program that goes on after it, in five seconds', async () => {
    const beganAt = performance.now();
    await expect(start(`${DONE}; exec sleep 64.25`).result).resolves.toMatchObject({ text: 'done' });
    expect(performance.now() - beganAt).toBeLessThan(8_000);
  });

  test('is shortened where the result would be too large', async () => {
    const script = `printf '{"type":"success","text":"'; head -c 2000000 /dev/zero | tr '\\0' e; echo '"}'`;
    const { text } = (await start(script).result) as { text: string };
    expect(text.length).toBeLessThan(1024 * 1024);
    expect(text).toMatch(/^eee.*left out/s);
  });
});

type Failing = [title: string, script: string, code: string, message: RegExp, task: Partial<Task>];
const REFUSED = say({ type: 'failure', code: 'refused', message: 'No', retryable: false });
const WORKSPACE = { repository: 'https://example.com/a.git', ref: null };

describe('an attempt fails', () => {
  test.each<Failing>([
    ['without a result, whatever the exit code', 'echo why >&2', 'no_result', /exit code 0\):\nwhy/, {}],
    [
      'when it writes too long a line',
      'head -c 34000000 /dev/zero; sleep 64.3',
      'no_result',
      /Killed: it wrote a line/,
      {},
    ],
    ['with the code of the runtime', REFUSED, 'refused, final', /^No$/, {}],
    [
      'when nothing enforces its max_cost',
      DONE,
      'budget_exceeded, final',
      /./,
      { max_cost: { amount: 1, currency: 'USD' } },
    ],
    ['when no repository is allowed', DONE, 'workspace_failed, final', /--repository/, { workspace: WORKSPACE }],
    ['when it continues an unknown session', DONE, 'session_lost, final', /./, { continue_of: 'gone' }],
    ['when its output is another', DONE, 'output_invalid', /./, { output_schema: { type: 'object' } }],
    ['before its timeout', 'exec sleep 67.25', 'timeout', /./, { timeout_seconds: 2 }],
  ])('%s', async (_title, script, code, message, task) => {
    const problem = (await start(script, {}, task).result.catch((thrown) => thrown)) as TaskError;
    expect(problem.code + (problem.retryable ? '' : ', final')).toBe(code);
    expect(problem.message).toMatch(message);
  });

  test('when it gives no sign of life', async () => {
    const script = `${say({ type: 'delta', text: 'hello' })}; read line`;
    const problem = start(script, { idleSeconds: 1 }).result;
    await expect(problem).rejects.toMatchObject({ code: 'stalled', retryable: true });
  }, 20_000);

  test('and still reports what it has used', async () => {
    const { result, told } = start(`${say({ type: 'used', used: usedOf(7, 0.1) })}; exit 1`);
    await expect(result).rejects.toMatchObject({ code: 'no_result' });
    expect(told.used.at(-1)).toEqual(usedOf(7, 0.1));
  });

  test('when its program does not start', async () => {
    const { result } = start(DONE, { program: '/missing' });
    await expect(result).rejects.toMatchObject({ code: 'runtime_missing', retryable: false });
  });
});

test('shows the last words as progress, with the share of the plan', async () => {
  const lines = Array.from({ length: 50 }, (_, i) =>
    say({ type: 'entry', entry: { type: 'text', data: { markdown: `Well.\nstep  ${i}\n` } } }),
  );
  const items = (['completed', 'pending', 'pending', 'pending'] as const).map((state) => ({ text: 'x', state }));
  const plan = say({ type: 'entry', entry: { type: 'plan', data: { items } } });
  const { result, told } = start([...lines, plan, DONE].join('\n'));
  await result;
  expect(told.progress.slice(-2)).toEqual([
    [null, 'step 49'],
    [25, 'step 49'],
  ]);
  expect(told.log.filter(({ stream }) => stream === 'agent')).toHaveLength(51);
});

describe('the environment', () => {
  const env = {
    PATH: process.env.PATH,
    ANTHROPIC_API_KEY: 'sk-provider-1',
    FLEET_API_KEY: 'fleet-key-1',
    SECRET_X: 'passed-secret-1',
    OTHER: 'x',
  };

  test('has nothing of the worker but an allow-list and what is passed', async () => {
    const file = newFile();
    const runtime = shellRuntime(`env > ${file}; ${DONE}`);
    await start('', { runtime, env, passEnv: ['SECRET_X'] }).result;
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('SECRET_X=passed-secret-1');
    expect(text).toMatch(/^FLEET_TASK_ID=task-\d+$/m);
    expect(text).not.toMatch(/sk-provider-1|fleet-key-1|OTHER=/);
    const own = Object.keys(process.env).filter((name) => !/^(PATH|PWD|SHLVL|_|OLDPWD)$/.test(name));
    const inherited = own.filter((name) => text.includes(`\n${name}=${process.env[name]}\n`));
    expect(inherited).toEqual([]);
    expect(text).toMatch(new RegExp(`^HOME=${agents.base}/task-\\d+/1/home$`, 'm'));
  });

  test('has its secrets in no output', async () => {
    const leak = `echo "SK: sk-provider-1 $SECRET_X" >&2; printf '{"type":"delta","text":"a passed-'; sleep 0.1
      echo 'secret-1"}'; ${say({ type: 'delta', text: 'fleet-' })}; ${say({ type: 'delta', text: 'key-1' })}
      ${say({ type: 'denied', tool: 'x', detail: 'sk-provider-1' })}
      ${say({ type: 'success', text: `sk-provider-1 ${Buffer.from('passed-secret-1').toString('base64')}`, output: { key: 'fleet-key-1' } })}`;
    const credentials = async () => ({ headers: {}, secret: 'fleet-key-1' });
    const { result, told } = start(leak, { env, passEnv: ['SECRET_X'], credentials, keep: 'all' });
    const all = JSON.stringify([await result, told.log, told.progress, told.deltas]);
    expect(all).toContain('[redacted]');
    const events = readFileSync(
      join(agents.base, `${readdirSync(agents.base).sort(byNumber).at(-1)}`, '1/events.jsonl'),
      'utf8',
    );
    expect(events).toContain('[redacted]');
    for (const text of [all, events]) expect(text).not.toMatch(/sk-provider|passed-secret|cGFzc2VkLXNlY3JldC0x/);
    expect(all).not.toMatch(/key-1/);
  });
});

const byNumber = (a: string, b: string) => Number(a.split('-')[1]) - Number(b.split('-')[1]);

describe('processes that left the group', () => {
  const untilWritten = (file: string) => `until [ -s ${file} ]; do sleep 0.05; done`;
  const leave = (file: string, seconds: string) =>
    `setsid sh -c 'sleep ${seconds} & echo $! > ${file}; wait' > /dev/null 2>&1 < /dev/null & ${untilWritten(file)}`;

  test('are killed after a success', async () => {
    const file = newFile();
    await start(`${leave(file, '71.25')}; ${DONE}`).result;
    await expectEnd(file, 'sleep 71.25');
  });

  test.each(['cancelled', 'lease_lost', 'worker_stopped'] as const)(
    'are killed when the attempt is %s',
    async (code) => {
      const file = newFile();
      const { result, abort } = start(`${leave(file, '72.25')}; read line; exit 3`);
      await writtenBy(file);
      const reason = new TaskAbortError(code);
      abort(reason);
      await expect(result).rejects.toBe(reason);
      await expectEnd(file, 'sleep 72.25');
    },
  );

  test('are killed when the environment was emptied in a child of one that is marked', async () => {
    const file = newFile();
    const script = `setsid sh -c 'env -i setsid sleep 73.25 & echo $! > ${file}; exec sleep 74.25' > /dev/null 2>&1 &`;
    await start(`${script} ${untilWritten(file)}; sleep 0.3; ${DONE}`).result;
    await expectEnd(file, 'sleep 73.25');
  });
});

describe('a cancelled attempt', () => {
  test('is asked to stop, and its usage is reported', async () => {
    const file = newFile();
    const { result, abort, told } = start(
      `echo $$ > ${file}; read line; ${say({ type: 'used', used: usedOf(3, 0.2) })}`,
    );
    await writtenBy(file);
    const beganAt = performance.now();
    abort(cancelled);
    await expect(result).rejects.toBe(cancelled);
    expect(performance.now() - beganAt).toBeLessThan(4_000);
    expect(told.used.at(-1)).toEqual(usedOf(3, 0.2));
  });

  test('receives SIGKILL when its lease is lost and it ignores SIGTERM', async () => {
    const file = newFile();
    const { result, abort } = start(`trap '' TERM; echo $$ > ${file}; while :; do sleep 0.05; done`);
    await writtenBy(file);
    const beganAt = performance.now();
    abort(new TaskAbortError('lease_lost'));
    await expect(result).rejects.toMatchObject({ code: 'lease_lost' });
    expect(performance.now() - beganAt).toBeLessThan(5_000);
  });
});

describe('the folders', () => {
  const rootOf = (id: string) => join(agents.base, id, '1');

  test.each([
    ['failed', 'failed', 'exit 1', true],
    ['failed', 'completed without a session', DONE, false],
    ['failed', 'completed with a session', `${say({ type: 'session', id: 's' })}; ${DONE}`, true],
    ['none', 'failed', 'exit 1', false],
    ['all', 'completed without a session', DONE, true],
  ] as const)('with the rule %s: those of a task that %s', async (keep, what, script, stays) => {
    const id = `keep-${keep}-${what.replaceAll(' ', '-')}`;
    await start(script, { keep }, { id }).result.catch(() => {});
    expect(existsSync(rootOf(id))).toBe(stays);
    if (stays) expect(statSync(rootOf(id)).mode & 0o777).toBe(0o700);
  });

  test('are deleted even if a program made some read-only', async () => {
    const script = `mkdir -p a/b; touch a/b/c; chmod 500 a/b a; ${DONE}`;
    await start(script, {}, { id: 'read-only' }).result;
    expect(existsSync(rootOf('read-only'))).toBe(false);
  });
});

describe('a task that continues another one', () => {
  const first = `${say({ type: 'session', id: 's7' })}; echo kept > note; ${DONE}`;
  const second = `echo "$SESSION $(cat note) $PWD" >&2; ${say({ type: 'session', id: 's7' })}; ${DONE}`;

  test('has its session and its folders at the same path', async () => {
    await start(first, {}, { id: 'first' }).result;
    const { result, told } = start(second, {}, { id: 'second', continue_of: 'first' });
    await result;
    expect(told.log.map(({ text }) => text)).toContain(`s7 kept ${join(agents.base, 'first/1/workspace')}`);
    await expect(start(second, {}, { id: 'third', continue_of: 'second' }).result).resolves.toMatchObject({
      text: 'done',
    });
  });

  test('may be tried again after a failure, and has its session for itself', async () => {
    await start(first, {}, { id: 'again' }).result;
    const task = { id: 'again-2', continue_of: 'again' };
    await expect(start('exit 1', {}, task).result).rejects.toMatchObject({ code: 'no_result' });
    const jobs: RuntimeJob[] = [];
    const handler = agents.handlerOf(shellRuntime('read line', jobs));
    const running = agents.startWith(handler, { ...task, attempt: 2 });
    await until(() => jobs.length === 1);
    const other = agents.startWith(handler, { id: 'again-3', continue_of: 'again' });
    await expect(other.result).rejects.toMatchObject({ code: 'session_lost', retryable: true });
    running.abort(cancelled);
    await expect(running.result).rejects.toBe(cancelled);
  });

  test('is lost with the rule none', async () => {
    await start(first, { keep: 'none' }, { id: 'none' }).result;
    await expect(start(second, { keep: 'none' }, { continue_of: 'none' }).result).rejects.toMatchObject({
      code: 'session_lost',
    });
  });
});

describe('a pipe that an agent left', () => {
  const leave = (name: string) => `rm -f ../${name}; mkfifo ../${name}; ${say({ type: 'session', id: 's' })}; ${DONE}`;

  test('where the worker writes at the end is replaced', async () => {
    await expect(start(leave('attempt.json.new')).result).resolves.toMatchObject({ text: 'done' });
  });

  test('in the place of its events fails the task that continues it', async () => {
    await start(leave('events.jsonl'), {}, { id: 'pipe' }).result;
    await expect(start(DONE, {}, { continue_of: 'pipe' }).result).rejects.toThrow('ENXIO');
  });
});

describe('the key proxy', () => {
  test('counts in the place of the runtime, has what is left of the budget, and ends the attempt at its end', async () => {
    let maxCost: number | undefined;
    const runtime = shellRuntime(`${say({ type: 'used', used: usedOf(1, 9) })}; read line`, [], {
      provider: () => 'anthropic',
    });
    const proxy: AgentOptions['proxy'] = {
      open(options) {
        maxCost = options.maxCost;
        setTimeout(() => {
          options.onUsed(usedOf(100, 0.75));
          options.onBudgetExceeded('The budget is used up');
        }, 300);
        return {
          baseUrl: 'http://127.0.0.1:1/anthropic',
          key: 'attempt-key',
          used: () => usedOf(100, 0.75),
          close: () => {},
        };
      },
      limitedUntil: () => undefined,
    };
    const task: Partial<Task> = {
      max_cost: { amount: 1, currency: 'USD' },
      cost: { amount: 0.25, currency: 'USD', estimated: true },
    };
    const { result, told } = start('', { runtime, maxCost: 2, proxy }, task);
    await expect(result).rejects.toMatchObject({ code: 'budget_exceeded', retryable: false });
    expect(maxCost).toBe(0.75);
    expect(told.used.at(-1)).toEqual(usedOf(100, 0.75));
  }, 30_000);

  test('says until when the provider takes no calls, and the next attempt goes on with the session', async () => {
    const retryAt = Date.now() + 3_600_000;
    let limitedUntil: number | undefined;
    const proxy: AgentOptions['proxy'] = {
      open({ onLimited }) {
        onLimited(retryAt);
        return { baseUrl: 'http://127.0.0.1:1/anthropic', key: 'attempt-key', used: () => undefined, close: () => {} };
      },
      limitedUntil: () => limitedUntil,
    };
    const limited: RuntimeEvent = { type: 'failure', code: 'no_result', message: 'HTTP 429', retryable: true };
    const script = `mkdir -p "$HOME/s"; echo 1 > "$HOME/s/one"; ${say({ type: 'session', id: 's1' })}; ${say(limited)}`;
    const more = { provider: () => 'anthropic' as const, sessionFiles: async () => ['s/one'] };
    const id = `limited-${Math.random()}`;
    const runtime = shellRuntime(script, [], more);
    const error = (await start('', { runtime, proxy }, { id }).result.catch((thrown: unknown) => thrown)) as TaskError;
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true, retryAt });
    expect(error.session).toEqual({ runtime: 'fake', id: 's1', data: expect.any(String) });
    const goesOn = shellRuntime(`printf '{"type":"success","text":"%s %s"}\\n' "$SESSION" "$PROMPT"`, [], more);
    const resume = { session: { data: null, ...error.session }, state: null, answers: [] };
    const next = start('', { runtime: goesOn, proxy }, { id }, { resume: resume as never });
    await expect(next.result).resolves.toMatchObject({ text: 's1 Go on.' });
    limitedUntil = retryAt;
    const { result, told } = start('', { runtime: goesOn, proxy });
    await expect(result).rejects.toMatchObject({ code: 'rate_limited', retryAt });
    expect(told.jobs).toEqual([]);
  });

  test('is not opened when nothing is left', async () => {
    const runtime = shellRuntime(DONE, [], { provider: () => 'openai' });
    const task: Partial<Task> = { cost: { amount: 2, currency: 'USD', estimated: true } };
    await expect(start('', { runtime, maxCost: 2 }, task).result).rejects.toMatchObject({ code: 'budget_exceeded' });
  });
});
