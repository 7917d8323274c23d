import type { IncomingMessage } from 'node:http';
import { createByteList } from '../pieces.ts';
import type { Forecast } from './account.ts';
import type { Operation } from './operations.ts';
import { ProxyError } from './provider-errors.ts';

const MAX_REQUEST_BYTES = 32 * 1024 * 1024;
/** Of all requests of one attempt that are held in memory. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** Of its JSON; more would take the whole worker's time and memory to read. */
const MAX_VALUES = 500_000;
/** A rule of thumb for text and JSON. */
const BYTES_PER_TOKEN = 4;

/** Bytes of the bodies that an attempt has in memory. */
export interface HeldBytes {
  bytes: number;
}

/** Reads a body whole, as it decides which model is asked. What it adds to `held`, the caller takes off. */
export async function readBody(
  req: IncomingMessage,
  held: HeldBytes,
  onHeld: (bytes: number) => void,
): Promise<Buffer> {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ProxyError('encoded', 'Compressed requests are not supported');
  }
  const body = createByteList();
  let length = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_REQUEST_BYTES) throw new ProxyError('large', `The request is over ${MAX_REQUEST_BYTES} bytes`);
    if (held.bytes + chunk.length > MAX_HELD_BYTES) throw new ProxyError('busy', 'Too many large requests at once');
    onHeld(chunk.length);
    body.add(chunk);
  }
  return body.bytes();
}

/** What the request says about its cost. @throws ProxyError `invalid` */
export function forecastOf(operation: Operation, body: Buffer): Forecast {
  const json = parseObject(body);
  const model = operation.model ?? json.model;
  if (typeof model !== 'string' || model === '') throw new ProxyError('invalid', 'The request names no model');
  // Its usage comes in a later response, which nobody asks for.
  if (json.background === true) throw new ProxyError('invalid', 'Responses in the background are not supported');
  const input = estimateTokens(body.length);
  const limits = [json.max_tokens, json.max_output_tokens, limitOf(json.generationConfig)];
  const maxOutput = limits.find((limit): limit is number => Number.isSafeInteger(limit) && (limit as number) > 0);
  const hasTools = Array.isArray(json.tools) && json.tools.length > 0;
  return { model, input, maxOutput, hasTools };
}

/** Tokens of that many bytes, estimated. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

const limitOf = (config: unknown): unknown =>
  (config as { maxOutputTokens?: unknown } | null | undefined)?.maxOutputTokens;

function parseObject(body: Buffer): Record<string, unknown> {
  if (hasTooManyValues(body)) throw new ProxyError('large', `The request has over ${MAX_VALUES} values`);
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Answered below.
  }
  throw new ProxyError('invalid', 'The request is not a JSON object');
}

/** Counts what begins a value or a property outside of strings; the JSON need not be valid. */
function hasTooManyValues(json: Buffer): boolean {
  let count = 0;
  let isString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    if (byte === QUOTE) isString = !isString;
    else if (isString && byte === BACKSLASH) at++;
    else if (!isString && STARTS.has(byte) && ++count > MAX_VALUES) return true;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const STARTS = new Set(Buffer.from('[{,'));
