// A program in the place of a runtime: it writes the lines that REPLAY names, and what it was given to a file.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { lines, reads, stderr, exitCode, signal, hangs, dump } = JSON.parse(
  readFileSync(process.env.REPLAY ?? '', 'utf8'),
);
const stdin: string[] = [];
const { REPLAY: _, ...env } = process.env;
const save = (isEnded: boolean) =>
  writeFileSync(dump, JSON.stringify({ args: process.argv.slice(2), env, stdin, isEnded }));
const input = createInterface({ input: process.stdin });
const ended = once(input, 'close');
const waiting: (() => void)[] = [];
input.on('line', (line) => {
  stdin.push(line);
  waiting.shift()?.();
});
const nextLine = (count = stdin.length) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (stdin.length > count) resolve();
  else waiting.push(resolve);
  return promise;
};

// The prompt: a line of JSON, or all of the input.
await (reads === 'line' ? nextLine(0) : ended);
for (const line of lines) {
  if (line.pause) {
    await nextLine();
    continue;
  }
  const answered = line.text?.startsWith('{"type":"control_request"') ? nextLine() : undefined;
  const text = `${line.text ?? 'x'.repeat(line.bytes)}\n`;
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  await answered;
}
process.stderr.write(stderr);
save(false);
if (signal) process.kill(process.pid, signal);
if (hangs) {
  await ended;
  save(true);
  setInterval(() => {}, 60_000);
} else {
  if (exitCode === 0) await ended;
  save(true);
  process.exitCode = exitCode;
  process.stdin.destroy();
}
