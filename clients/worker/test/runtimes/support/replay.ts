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

/** Ids of messages, which are new in each run: `$UUID1` in a recording is that of the first one. */
async function withIds(text: string): Promise<string> {
  const [, number] = /\$UUID(\d+)/.exec(text) ?? [];
  if (number === undefined) return text;
  const messages = () => stdin.filter((line) => line.startsWith('{"type":"user"'));
  for (let line = messages()[Number(number) - 1]; ; line = messages()[Number(number) - 1]) {
    if (line !== undefined) return text.replaceAll(`$UUID${number}`, JSON.parse(line).uuid);
    await nextLine();
  }
}

// What comes before the first line of output, in lines; the recording of a dialogue says itself what it waits for.
while (stdin.length < reads) await nextLine();
let expected = 0;
for (const line of lines) {
  if (line.expects !== undefined) {
    while (stdin.length <= expected) await nextLine();
    expected += 1;
    continue;
  }
  if (line.pause) {
    await nextLine();
    continue;
  }
  const answered = line.text?.startsWith('{"type":"control_request"') ? nextLine() : undefined;
  const text = `${await withIds(line.text ?? 'x'.repeat(line.bytes))}\n`;
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
