import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { createByteList } from '../pieces.ts';
import type { Api } from './operations.ts';
import type { Tokens } from './prices.ts';

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

/** Of an event that is too long, only its length counts; it goes on with the next one. */
function eventStreamMeter(read: (json: string) => void, seen: Seen): UsageMeter {
  const decoder = new StringDecoder('utf8');
  const parser = createParser({
    maxBufferSize: MAX_TEXT,
    onEvent: ({ data }) => read(data),
    onError({ type }) {
      if (type !== 'max-buffer-size-exceeded') return;
      seen.characters += MAX_TEXT;
      parser.reset();
    },
  });
  return {
    add: (chunk) => parser.feed(decoder.write(chunk)),
    seen(end) {
      // A stream may end without an empty line.
      if (end) parser.feed('\n\n');
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

/** What a response has told so far. */
export interface Seen {
  model?: string;
  tokens?: Tokens;
  /** The usage is that of the whole response, not of its beginning. */
  isFinal: boolean;
  /** Characters of output that were seen, for an estimate when the end does not come. */
  characters: number;
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of a provider; every value is checked where it is read
type Json = any;

/** Reads one event of a stream, or a whole response in JSON, and adds to what was seen. */
const READERS: Readonly<Record<Api, (event: Json, seen: Seen) => void>> = {
  messages(event, seen) {
    const message = event.type === 'message_start' ? event.message : event;
    setModel(seen, message?.model);
    const { usage } = message ?? {};
    if (isObject(usage)) {
      // The usage of a message_delta is cumulative, and may leave out what message_start has said.
      seen.tokens = fromMessages(usage, seen.tokens);
      seen.isFinal ||= event.type !== 'message_start';
    }
    seen.characters += lengthOf(event.delta?.text, event.delta?.thinking, event.delta?.partial_json);
  },
  responses(event, seen) {
    const response = event.response ?? event;
    setModel(seen, response.model);
    seen.characters += lengthOf(event.delta);
    const { usage } = response;
    if (!isObject(usage)) return;
    seen.tokens = toTokens({
      input: usage.input_tokens,
      cached: usage.input_tokens_details?.cached_tokens,
      cacheWrite: usage.input_tokens_details?.cache_write_tokens,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details?.reasoning_tokens,
    });
    seen.isFinal = true;
  },
  gemini(event, seen) {
    // Without `alt=sse` a stream is one JSON array of the chunks.
    for (const chunk of Array.isArray(event) ? event : [event]) readGemini(chunk, seen);
  },
};

function readGemini(chunk: Json, seen: Seen): void {
  setModel(seen, chunk?.modelVersion);
  const usage = chunk?.usageMetadata;
  if (isObject(usage)) {
    const reasoning = count(usage.thoughtsTokenCount);
    seen.tokens = toTokens({
      input: count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount),
      cached: usage.cachedContentTokenCount,
      output: count(usage.candidatesTokenCount) + reasoning,
      reasoning,
    });
  }
  const candidates: Json[] = Array.isArray(chunk?.candidates) ? chunk.candidates : [];
  if (usage && candidates.some((candidate) => candidate?.finishReason)) seen.isFinal = true;
  for (const part of candidates.flatMap((candidate) => candidate?.content?.parts ?? [])) {
    seen.characters += lengthOf(part?.text, part?.functionCall && JSON.stringify(part.functionCall));
  }
}

/** Anthropic counts what is read from and written to the cache beside `input_tokens`. */
function fromMessages(usage: Json, before: Tokens | undefined): Tokens {
  const cached = usage.cache_read_input_tokens ?? before?.cached;
  const written = usage.cache_creation_input_tokens ?? (before && before.cacheWrite + before.cacheWrite1h);
  const cacheWrite1h = Math.min(
    count(written),
    count(usage.cache_creation?.ephemeral_1h_input_tokens ?? before?.cacheWrite1h),
  );
  const fresh = before && before.input - before.cached - before.cacheWrite - before.cacheWrite1h;
  return toTokens({
    input: count(usage.input_tokens ?? fresh) + count(cached) + count(written),
    cached,
    cacheWrite: count(written) - cacheWrite1h,
    cacheWrite1h,
    output: usage.output_tokens ?? before?.output,
  });
}

/** Keeps the parts within their wholes, whatever the provider says. */
function toTokens(said: Partial<Record<keyof Tokens, unknown>>): Tokens {
  const input = count(said.input);
  const output = count(said.output);
  const cached = Math.min(count(said.cached), input);
  return {
    input,
    cached,
    cacheWrite: Math.min(count(said.cacheWrite), input - cached),
    cacheWrite1h: Math.min(count(said.cacheWrite1h), input - cached),
    output,
    reasoning: Math.min(count(said.reasoning), output),
  };
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
/** So that no sum of what a provider says is beyond the integers that are exact. */
const MAX_TOKENS = 1_000_000_000;
const count = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) > 0 ? Math.min(value as number, MAX_TOKENS) : 0;
const lengthOf = (...texts: unknown[]): number =>
  texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0);

function setModel(seen: Seen, model: unknown): void {
  if (typeof model === 'string' && model !== '' && model.length <= 200) seen.model = model;
}
