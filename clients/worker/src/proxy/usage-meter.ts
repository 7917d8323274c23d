import { StringDecoder } from 'node:string_decoder';
import { createByteList } from './byte-list.ts';
import type { Api } from './operations.ts';
import { READERS, type Seen } from './usage-readers.ts';

/** A longer event or JSON is not read, only estimated. `response.completed` repeats all of the output. */
const MAX_TEXT = 8 * 1024 * 1024;

export interface UsageMeter {
  add(chunk: Buffer): void;
  /** What was seen so far; `end` says that the response is complete. */
  seen(end?: boolean): Readonly<Seen>;
}

/** Reads the usage in a response on its way. It never throws, and keeps at most one event or one JSON document. */
export function createUsageMeter(api: Api, contentType: string | undefined): UsageMeter {
  const seen: Seen = { isFinal: false, characters: 0 };
  const read = (json: string) => {
    try {
      const event: unknown = JSON.parse(json);
      if (typeof event === 'object' && event !== null) READERS[api](event, seen);
    } catch {
      // Not JSON, such as `[DONE]`, or not of the form: then it is estimated.
    }
  };
  const isStream = contentType?.startsWith('text/event-stream') ?? false;
  return isStream ? eventStreamMeter(read, seen) : jsonMeter(read, seen);
}

function eventStreamMeter(read: (json: string) => void, seen: Seen): UsageMeter {
  const decoder = new StringDecoder('utf8');
  let line: string[] = [];
  let data: string[] = [];
  let length = 0;
  const endLine = () => {
    const text = line.join('').replace(/\r$/, '');
    line = [];
    if (text.startsWith('data:')) data.push(text.slice(text[5] === ' ' ? 6 : 5));
    if (text !== '') return;
    if (data.length > 0 && length <= MAX_TEXT) read(data.join('\n'));
    data = [];
    length = 0;
  };
  const keep = (text: string) => {
    length += text.length;
    if (length <= MAX_TEXT) line.push(text);
    else seen.characters += text.length;
  };
  return {
    add(chunk) {
      const lines = decoder.write(chunk).split('\n');
      const rest = lines.pop() ?? '';
      for (const text of lines) {
        keep(text);
        endLine();
      }
      if (rest !== '') keep(rest);
    },
    seen(end) {
      // A stream may end without an empty line.
      if (end) for (let lines = 0; lines < 2; lines++) endLine();
      return seen;
    },
  };
}

function jsonMeter(read: (json: string) => void, seen: Seen): UsageMeter {
  let body = createByteList();
  let bytes = 0;
  return {
    add(chunk) {
      bytes += chunk.length;
      if (bytes <= MAX_TEXT) body.add(chunk);
      else body = createByteList();
      if (!seen.isFinal) seen.characters = bytes;
    },
    seen(end) {
      if (!end || bytes > MAX_TEXT) return seen;
      read(body.bytes().toString());
      body = createByteList();
      // It is whole, so its usage is.
      seen.isFinal = seen.tokens !== undefined;
      return seen;
    },
  };
}
