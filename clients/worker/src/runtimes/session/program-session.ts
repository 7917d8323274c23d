import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { signalGroup } from '../../processes/marked-processes.ts';
import { putBack } from '../attempt-files.ts';
import { type JsonObject, objectOf } from '../json.ts';
import type { RuntimeEvent, RuntimeJob, RuntimeProcess, RuntimeSession } from '../runtime.ts';

const MAX_LINE_BYTES = 8 * 1024 * 1024;
const MAX_SHOWN = 500;
/** Of output that is no event. */
const MAX_NOTICES = 20;
/** When a program has not read so much of what it was told, no more of its output is read. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

export type Line = { object: JsonObject } | { text: string } | { skippedBytes: number };

export interface Conversation extends Pick<RuntimeSession, 'answer' | 'say' | 'interrupt'> {
  /** The events of an object that the program wrote. */
  read(object: JsonObject): Iterable<RuntimeEvent>;
  /** When the program has exited without an ending; `stderr` is the end of it. */
  atExit?(stderr: string): Iterable<RuntimeEvent>;
  /** Default: SIGTERM. */
  cancel?(): void;
  /** Default: `end`. */
  suspend?(): void;
}

interface SessionOptions {
  /** Default: what the program writes to stdout, an object a line. */
  lines?: AsyncIterable<Line>;
  /** Has the program exit. Default: the end of its input does. */
  end?(): void;
}

/** The session of a program that is told, and tells, in objects. The program ends with its events. */
export function createSession(
  process: RuntimeProcess,
  { folders }: Pick<RuntimeJob, 'folders'>,
  conversation: Conversation,
  { lines = linesOf(process.stdout), end = () => process.stdin.end() }: SessionOptions = {},
): RuntimeSession {
  async function* follow() {
    try {
      yield* eventsOf(process, conversation, lines);
    } finally {
      end();
      // Before anyone looks at what has changed.
      await putBack(folders);
    }
  }
  return {
    events: follow(),
    cancel() {
      if (conversation.cancel) conversation.cancel();
      // The program may be a script that starts the real one.
      else signalGroup(process.child.pid, 'SIGTERM');
    },
    answer: (key, answer) => conversation.answer(key, answer),
    say: (message) => conversation.say(message),
    interrupt: () => conversation.interrupt(),
    async suspend() {
      if (conversation.suspend) conversation.suspend();
      else end();
      await process.exited;
    },
  };
}

/** The events of a program until its ending. The rest of its output is not kept. */
export async function* eventsOf(
  process: RuntimeProcess,
  conversation: Pick<Conversation, 'read' | 'atExit'>,
  lines: AsyncIterable<Line> = linesOf(process.stdout),
): AsyncGenerator<RuntimeEvent> {
  let notices = 0;
  try {
    for await (const line of lines) {
      if (!('object' in line)) {
        if (++notices < MAX_NOTICES) yield { type: 'notice', text: describe(line) };
        else if (notices === MAX_NOTICES) yield { type: 'notice', text: 'More output that is no event is not shown' };
        continue;
      }
      for (const event of conversation.read(line.object)) {
        yield event;
        if (isEnding(event)) return;
      }
      await untilRead(process);
    }
    await process.exited;
    yield* conversation.atExit?.(process.stderr()) ?? [];
  } finally {
    // A program whose output is not read cannot exit.
    process.stdout.resume();
  }
}

async function untilRead({ stdin, exited }: RuntimeProcess): Promise<void> {
  if (stdin.writableLength > MAX_UNREAD_BYTES) await Promise.race([once(stdin, 'drain').catch(() => {}), exited]);
}

export function isEnding(event: RuntimeEvent): event is Extract<RuntimeEvent, { type: 'success' | 'failure' }> {
  return event.type === 'success' || event.type === 'failure';
}

function describe(line: Exclude<Line, { object: JsonObject }>): string {
  if ('text' in line) return `Output that is no event: ${line.text.slice(0, MAX_SHOWN)}`;
  return `Skipped a line of ${line.skippedBytes} bytes, more than ${MAX_LINE_BYTES}`;
}

/** Lines of UTF-8, in order; empty ones are left out. Ends with the stream, even if that is destroyed. */
export async function* linesOf(stream: Readable): AsyncGenerator<Line> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= MAX_LINE_BYTES) chunks.push(part);
    else chunks = [];
  };
  const take = (): Line | undefined => {
    const line = bytes > MAX_LINE_BYTES ? { skippedBytes: bytes } : parse(Buffer.concat(chunks).toString());
    chunks = [];
    bytes = 0;
    return line;
  };
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        add(chunk.subarray(start, end));
        start = end + 1;
        const line = take();
        if (line !== undefined) yield line;
      }
      add(chunk.subarray(start));
    }
  } catch {
    // Whoever ends the program also destroys its output.
  }
  const last = take();
  if (last !== undefined) yield last;
}

function parse(text: string): Line | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  try {
    const object = objectOf(JSON.parse(trimmed));
    return Object.keys(object).length === 0 ? { text: trimmed } : { object };
  } catch {
    return { text: trimmed };
  }
}
