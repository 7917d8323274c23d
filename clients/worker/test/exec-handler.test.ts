import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createExecHandler } from '../src/exec-handler.ts';
import { type Task, TaskAbortError } from '../src/index.ts';
import type { TaskContext } from '../src/options.ts';
import { expectEnd, writtenBy } from './support/programs.ts';

const TASK = { id: 't1', agent_id: 'a1', message: 'Say "hé" \\ 100%', attempt: 2, input: null } as Task;
const dir = ownFolder();

let count = 0;
let file = '';
let stderr = '';
let logged: [text: string, stream: string | null | undefined][] = [];
let aborts = new AbortController();
let definition: unknown = null;

beforeEach(() => {
  file = join(dir, `${++count}`);
  stderr = '';
  logged = [];
  aborts = new AbortController();
  definition = null;
});

async function run(program: string, args: string[] = [], task = TASK): Promise<unknown> {
  const exec = createExecHandler({ program, args, workerMark: 'test', onStderr: (chunk) => (stderr += chunk) });
  const log = (text: string, { stream }: { stream?: string | null } = {}) => void logged.push([text, stream]);
  const context = { signal: aborts.signal, attempt: task.attempt, progress: () => {}, log, used: () => {} };
  return exec.handler(task, { ...context, definition, dependencies: [] } as unknown as TaskContext);
}

const sh = (script: string, task = TASK) => run('sh', ['-c', script], task);
const node = (script: string, task = TASK) => run(process.execPath, ['-e', script], task);

describe('a program', () => {
  test('reads the task as one line of JSON', async () => {
    await expect(run('cat')).resolves.toEqual(TASK);
    await expect(sh('wc -l')).resolves.toBe(1);
    definition = { instructions: 'Be brief' };
    await expect(run('cat')).resolves.toEqual({ ...TASK, definition });
  });

  test('has the attempt in its environment, and no API key', async () => {
    process.env.FLEET_API_KEY = 'secret';
    try {
      const script = 'echo "$FLEET_TASK_ID $FLEET_AGENT_ID $FLEET_ATTEMPT [$FLEET_API_KEY]"';
      await expect(sh(script)).resolves.toBe('t1 a1 2 []');
    } finally {
      delete process.env.FLEET_API_KEY;
    }
  });

  test('has the trace context of the task in its environment, not that of the worker', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    process.env.TRACEPARENT = 'of the worker';
    try {
      await expect(sh('echo "[$TRACEPARENT]"', { ...TASK, traceparent })).resolves.toBe(`[${traceparent}]`);
      await expect(sh('echo "none$TRACEPARENT"')).resolves.toBe('none');
    } finally {
      delete process.env.TRACEPARENT;
    }
  });

  test.each([
    [`echo '{"a": [1]}'`, { a: [1] }],
    ['echo 17', 17],
    ['echo null', null],
    [String.raw`printf '  two\nlines \n\n'`, '  two\nlines'],
    ['true', null],
    [String.raw`printf '\357\273\277[1]\r\n'`, [1]],
    [String.raw`printf '\357\273\277h\303\251'`, 'hé'],
  ])('%s: the result is %j', async (script, result) => {
    await expect(sh(script)).resolves.toEqual(result);
  });

  test('may exit without reading a large task', async () => {
    await expect(sh('exec <&-; echo done', { ...TASK, input: 'x'.repeat(300_000) })).resolves.toBe('done');
  });

  test('has its stderr in the log of the task, line by line, in whole characters', async () => {
    await node(`for (const piece of ['\\ufeffone\\r\\n\\ntw', Buffer.from([0xc3]), Buffer.from([0xa9]), 'o\\nend'])
      require('node:fs').writeSync(2, piece)`);
    expect(logged.map(([text]) => text)).toEqual(['one', '', 'twéo', 'end']);
    expect(new Set(logged.map(([, stream]) => stream))).toEqual(new Set(['stderr']));
  });

  test('has a line without an end in the log in pieces', async () => {
    await sh('head -c 100000 /dev/zero | tr "\\0" e >&2');
    expect(logged.map(([text]) => text).join('')).toBe('e'.repeat(100_000));
    expect(Math.max(...logged.map(([text]) => text.length))).toBeLessThan(100_000);
  });

  test('may write much to stderr', async () => {
    await sh('head -c 100000 /dev/zero | tr "\\0" e >&2; echo end >&2');
    await until(() => stderr.endsWith('end\n'), { message: () => `${stderr.length} bytes` });
    expect(stderr).toHaveLength(100_004);
  });
});

describe('a failed program', () => {
  test.each<[string, object]>([
    ['echo out; echo why >&2; exit 3', { code: 'exit_3', message: 'why', retryable: true }],
    ['exit 1', { code: 'exit_1', message: 'exit code 1, nothing on stderr', retryable: true }],
    ['exit 65', { code: 'exit_65', retryable: false }],
    ['kill -KILL $$', { code: 'signal_SIGKILL', message: 'ended by SIGKILL, nothing on stderr', retryable: true }],
    ['yes', { code: 'result_too_large', retryable: false }],
    [
      String.raw`printf '{"name":\n"Zo\353"}'`,
      {
        code: 'invalid_result',
        message: 'What the program wrote to stdout is not UTF-8 at line 2, column 4',
        retryable: false,
      },
    ],
  ])('%s', async (script, error) => {
    await expect(sh(script)).rejects.toMatchObject(error);
  });

  test('is reported with the last 4 KiB of its stderr, in whole characters', async () => {
    const problem = await node(`process.stderr.write('é'.repeat(5000) + 'end!\\n', () => process.exit(1))`).catch(
      ({ message }) => message,
    );
    expect(problem).toBe(`${'é'.repeat(2045)}end!`);
  });

  test('may be one that does not start', async () => {
    await expect(run(join(dir, 'missing'))).rejects.toMatchObject({ code: 'exec_failed', retryable: true });
  });

  test.each([
    ['has an end of line of Windows', '#!/bin/sh\r\necho 1\r\n', '/bin/sh\\r', true],
    ['is not there', '#!/opt/none/python3 -u\nprint(1)\n', '/opt/none/python3', false],
    ['is not on the PATH', '#!/usr/bin/env none-such -x\n', 'none-such', false],
    ['is not on the PATH, after options', '#!/usr/bin/env -S A=1 none-such -x\n', 'none-such', false],
    ['is one of Windows for env', '#!/usr/bin/env sh\r\necho 1\r\n', 'sh\\r', true],
  ])('fails for good if the program in its first line %s', async (_what, text, named, isWindows) => {
    writeFileSync(file, text, { mode: 0o755 });
    const error = (await run(file).catch((thrown) => thrown)) as Error;
    expect(error).toMatchObject({ code: 'exec_failed', retryable: false });
    expect(error.message).toContain(`first line names no program: ${named}`);
    expect(/ends of line/.test(error.message)).toBe(isWindows);
  });

  test.each([
    ['#!/bin/sh\nexit 127\n', 'exit_127'],
    ['#!/usr/bin/env sh\nnone-such\n', 'exit_127'],
    ['no-shebang-and-none-such\n', 'exit_127'],
  ])('may be retried if it is a program in the script that is not there: %j', async (text, code) => {
    writeFileSync(file, text, { mode: 0o755 });
    await expect(run(file)).rejects.toMatchObject({ code, retryable: true });
  });
});

describe('an aborted program', () => {
  const cancelled = new TaskAbortError('cancelled');

  test('receives SIGTERM, and has failed even if it exits with 0', async () => {
    const running = sh(`trap 'echo told >&2; exit 0' TERM; echo $$ > ${file}; while :; do sleep 0.05; done`);
    await writtenBy(file);
    aborts.abort(cancelled);
    await expect(running).rejects.toBe(cancelled);
    expect(stderr).toContain('told\n');
  });

  test('receives SIGKILL after 5 s, and so do its children', async () => {
    const running = sh(`trap '' TERM; sleep 61.25 & echo $! > ${file}; while :; do sleep 0.05; done`);
    await writtenBy(file);
    const beganAt = performance.now();
    aborts.abort(cancelled);
    await expect(running).rejects.toBe(cancelled);
    expect(performance.now() - beganAt).toBeGreaterThan(4_900);
    await expectEnd(file, 'sleep 61.25');
  });

  test('ends when it was aborted before its start', async () => {
    aborts.abort(cancelled);
    await expect(run('sleep', ['60'])).rejects.toBe(cancelled);
  });
});

test.each([
  ['ends with it', 'sleep 62.25', '> /dev/null 2>&1'],
  ['does not delay the task by its open output', 'sleep 63.25', ''],
])('a process that a program leaves running %s', async (_what, command, output) => {
  await expect(sh(`${command} ${output} & echo $! > ${file}; echo done`)).resolves.toBe('done');
  await expectEnd(file, command);
});
