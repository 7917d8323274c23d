import type { Readable } from 'node:stream';
import type { RuntimeEvent, RuntimeProcess } from './runtime.ts';

export type JsonObject = Record<string, unknown>;

const MAX_DETAIL = 500;

/** An empty object for what is none. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The objects of an array; empty for what is none. */
export const objectsOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.map(objectOf) : []);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A whole number of at least 0. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.trunc(value)) : 0;
}

/** The first text of the object under one of the keys, else the object as JSON; 500 characters. For people. */
export function detailOf(object: JsonObject, keys: readonly string[]): string {
  const text = keys.map((key) => textOf(object[key])).find((found) => found !== '') ?? JSON.stringify(object);
  return text.slice(0, MAX_DETAIL);
}

const MAX_LINE_BYTES = 8 * 1024 * 1024;
const MAX_SHOWN = 500;
/** Of output that is no event. */
const MAX_NOTICES = 20;
const LINE_FEED = 0x0a;

type Line = { object: JsonObject } | { text: string } | { skippedBytes: number };

export interface Conversation {
  /** The events of an object that the program wrote. */
  read(object: JsonObject): Iterable<RuntimeEvent>;
  /** When the program has exited without an ending; `stderr` is the end of it. */
  atExit(stderr: string): Iterable<RuntimeEvent>;
}

/** The events of a program that writes an object a line, until its ending. The rest of its output is not kept. */
export async function* eventsOf(process: RuntimeProcess, conversation: Conversation): AsyncGenerator<RuntimeEvent> {
  let notices = 0;
  try {
    for await (const line of jsonLines(process.stdout)) {
      if (!('object' in line)) {
        if (++notices < MAX_NOTICES) yield { type: 'notice', text: describe(line) };
        else if (notices === MAX_NOTICES) yield { type: 'notice', text: 'More output that is no event is not shown' };
        continue;
      }
      for (const event of conversation.read(line.object)) {
        yield event;
        if (isEnding(event)) return;
      }
    }
    await process.exited;
    yield* conversation.atExit(process.stderr());
  } finally {
    // A program whose output is not read cannot exit.
    process.stdout.resume();
  }
}

export function isEnding(event: RuntimeEvent): event is Extract<RuntimeEvent, { type: 'success' | 'failure' }> {
  return event.type === 'success' || event.type === 'failure';
}

function describe(line: Exclude<Line, { object: JsonObject }>): string {
  if ('text' in line) return `Output that is no event: ${line.text.slice(0, MAX_SHOWN)}`;
  return `Skipped a line of ${line.skippedBytes} bytes, more than ${MAX_LINE_BYTES}`;
}

/** Lines of UTF-8, in order; empty ones are left out. Ends with the stream, even if that is destroyed. */
async function* jsonLines(stream: Readable): AsyncGenerator<Line> {
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
