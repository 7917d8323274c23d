import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const LINES = 2_000;
const MODULE = new URL('./log-destination.ts', import.meta.url);

/** Writes lines of a few hundred bytes, then ends as the second argument requires. */
const WRITER = `
  const { openLogDestination } = await import('${MODULE}');
  const [name, end] = process.argv.slice(1);
  const destination = openLogDestination({ isShared: true });
  for (let at = 0; at < ${LINES}; at++) {
    destination.write(JSON.stringify({ name, at, text: (name + 'ä').repeat(100 + (at % 50)) }) + '\\n');
  }
  if (end === 'exit') process.exit(0);
`;

test.each(['exit', 'return'])('lines of processes that share a pipe are intact and complete after %s', (end) => {
  // The reader starts late and reads little at a time: the pipe is full, and a larger write would be split.
  const writers = ['a', 'b', 'c'].map((name) => `"$0" --input-type=module --eval "$1" ${name} ${end} &`).join(' ');
  const command = `{ ${writers} wait; } | { sleep 1; dd bs=4096 2>/dev/null; }`;
  const { stdout } = spawnSync('/bin/sh', ['-c', command, process.execPath, WRITER], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  const lines = stdout.split('\n').slice(0, -1);
  const records = lines.map((line) => JSON.parse(line) as { name: string; at: number });
  for (const name of ['a', 'b', 'c']) {
    const ats = records.filter((record) => record.name === name).map(({ at }) => at);
    expect(new Set(ats).size).toBe(LINES);
    expect(ats).toHaveLength(LINES);
  }
});
