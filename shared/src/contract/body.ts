import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { finished } from 'node:stream';
import type { Request } from 'express';
import { parseExact } from '../exact-json.ts';
import { ClientGone, type HttpError, httpError, tooLarge, validationError } from '../http/errors.ts';
import { hasBody } from '../http/serve.ts';
import { parseInput } from './input.ts';
import type { BodyDoc } from './operation.ts';
import { decodeText, whereNotJson } from './text.ts';

const DEFAULT_MAX_BYTES = 1024 * 1024;
/** Writing deeper values as JSON would exhaust the stack. */
const MAX_DEPTH = 200;
const MAX_FORM_FIELDS = 100;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/**
 * Reads and validates a request body. The promise rejects with 415 for another media type or a compressed body,
 * 413 above `maxBytes`, and 400 for a body that is not UTF-8 JSON (or a form), is nested deeper than 200 levels, has a
 * number above 1.8e308, or does not match the schema; with `ClientGone` when the client disconnects.
 */
export function readBody(doc: BodyDoc): (req: Request) => Promise<unknown> {
  const { contentType = 'application/json', maxBytes = DEFAULT_MAX_BYTES, verbatim } = doc;
  const parse = contentType === 'application/json' ? (text: string) => parseJson(text, verbatim) : parseFields;
  return async (req) => {
    const { headers } = req;
    // undici in the gateway sends `Content-Length: 0` for a POST or PUT without a body.
    if (!hasBody(headers)) {
      if (doc.optional) return parseInput(doc.schema, {});
      throw malformed('The body is empty');
    }
    if (!req.is(contentType)) throw httpError('unsupported_media_type', `The body must be ${contentType}`);
    if (Number(headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
    if (!isPlainUtf8(headers)) throw httpError('unsupported_media_type', 'The body must be UTF-8, and not compressed');
    const value = parse(decode(await readBytes(req, maxBytes)));
    const problem = findProblem(value, MAX_DEPTH);
    if (problem) throw malformed(problem);
    // As sent: `Idempotency-Key` compares it. The schema adds defaults.
    req.body = value;
    return parseInput(doc.schema, value);
  };
}

/** Rejects as soon as the body is too large; Node reads on until the response is sent. */
function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let left = maxBytes;
    req.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left >= 0) chunks.push(chunk);
      else reject(tooLarge(maxBytes));
    });
    finished(req, (error) => (error ? reject(new ClientGone()) : resolve(Buffer.concat(chunks))));
  });
}

function isPlainUtf8({ 'content-type': type = '', 'content-encoding': coding = 'identity' }: IncomingHttpHeaders) {
  const charset = CHARSET.exec(type)?.[1] ?? 'utf-8';
  return /^utf-?8$/i.test(charset) && coding.toLowerCase() === 'identity';
}

function decode(bytes: Buffer): string {
  try {
    return decodeText(bytes);
  } catch (error) {
    throw malformed(`The body is ${(error as Error).message}`);
  }
}

function parseFields(text: string): unknown {
  if (text.split('&', MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS) throw malformed('The form has too many fields');
  return { ...parseForm(text) };
}

function parseJson(text: string, verbatim: BodyDoc['verbatim']): unknown {
  try {
    if (text === '') return {};
    return verbatim ? parseExact(text, verbatim) : JSON.parse(text);
  } catch {
    throw malformed(`The body is not valid JSON at ${whereNotJson(text)}`);
  }
}

/** Finds a value that would change when it is written as JSON again. */
function findProblem(value: unknown, levels: number): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'The body has a number that is too large';
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return undefined;
  if (levels === 0) return `The body is nested deeper than ${MAX_DEPTH} levels`;
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    const problem = findProblem(part, levels - 1);
    if (problem) return problem;
  }
  return undefined;
}

function malformed(message: string): HttpError {
  return validationError([{ path: '', code: 'malformed_body', message }]);
}
