import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { chainHash, GENESIS, toCanonicalJson } from './audit-chain.ts';
import { verifyLog } from './verify-log.ts';

/** The lines of a log with `count` entries. */
function writeLog(count: number): string[] {
  let previous_hash = GENESIS;
  return Array.from({ length: count }, (_, at) => {
    const audit = {
      id: String(at),
      action: 'user.created',
      actor: { type: 'user', id: null, name: `Ada "${at}" é\n` },
    };
    const audit_hash = chainHash(previous_hash, audit);
    const line = JSON.stringify({ level: 'info', audit, audit_hash, previous_hash, msg: 'audit' });
    previous_hash = audit_hash;
    return line;
  });
}

const LOG = writeLog(20);

test('canonical JSON has sorted keys and no blanks', () => {
  expect(toCanonicalJson({ b: [{ d: null, c: 'é\u2028"' }], a: '' })).toBe(
    '{"a":"","b":[{"c":"é\u2028\\"","d":null}]}',
  );
});

test('accepts a whole log, among other lines', async () => {
  const mixed = LOG.flatMap((line) => ['not JSON', '{"msg":"other"}', 'null', line]);
  expect(await verifyLog(mixed)).toEqual({
    entries: 20,
    repeated: 0,
    gaps: 0,
    last: JSON.parse(LOG[19] as string).audit_hash,
  });
});

test('accepts an export that begins later, and lines that were written again', async () => {
  expect(await verifyLog(LOG.slice(7))).toMatchObject({ entries: 13, repeated: 0 });
  const repeated = [...LOG.slice(0, 12), ...LOG.slice(5, 15), ...LOG.slice(15)];
  expect(await verifyLog(repeated)).toMatchObject({ entries: 20, repeated: 7 });
  expect((await verifyLog(repeated)).broken).toBeUndefined();
});

test('counts the gaps that the service has reported', async () => {
  const gap = '{"level":"warn","audit_gap":{"after":"1","next":null},"msg":"audit entries were lost"}';
  expect(await verifyLog([...LOG.slice(0, 3), gap, ...LOG.slice(3)])).toMatchObject({ entries: 20, gaps: 1 });
});

test.each([
  ['a missing line', LOG.toSpliced(9, 1), 10],
  ['two lines in the wrong order', LOG.toSpliced(9, 2, LOG[10] as string, LOG[9] as string), 10],
  ['a changed entry', LOG.with(4, (LOG[4] as string).replace('user.created', 'user.changed')), 5],
  ['a changed hash', LOG.with(4, (LOG[4] as string).replace(/"audit_hash":"./, '"audit_hash":"x')), 5],
  [
    'another log after it',
    [
      ...LOG,
      ...writeLog(21)
        .slice(0, 1)
        .map((line) => line.replace('Ada', 'Eve')),
    ],
    21,
  ],
])('finds %s', async (_what, lines, line) => {
  expect((await verifyLog(lines)).broken).toMatchObject({ line });
});

test('finds that a log begins anew', async () => {
  const audit = { id: 'other' };
  const line = JSON.stringify({ audit, audit_hash: chainHash(GENESIS, audit), previous_hash: GENESIS });
  expect((await verifyLog([...LOG, line])).broken).toMatchObject({ line: 21 });
});

test('as a program, reads a log and fails at the first line that does not continue it', async () => {
  const run = async (lines: string[]) => {
    const program = spawn(process.execPath, [fileURLToPath(new URL('./verify-log.ts', import.meta.url))]);
    program.stdin.end(lines.join('\n'));
    const output = await Promise.all([text(program.stdout), text(program.stderr)]);
    return { output, code: program.exitCode ?? (await new Promise((resolve) => program.once('exit', resolve))) };
  };
  expect(await run(LOG)).toEqual({ code: 0, output: [expect.stringContaining('"entries":20'), ''] });
  const broken = await run(LOG.toSpliced(3, 1));
  expect(broken).toMatchObject({ code: 1, output: [expect.anything(), expect.stringContaining('line 4')] });
});
