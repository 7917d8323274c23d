import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { type HttpError, httpError, validationError } from '../http/errors.ts';
import { parseInput } from './input.ts';
import type { BodyDoc } from './operation.ts';

const DEFAULT_MAX_BYTES = 1024 * 1024;
/** Writing deeper values as JSON would exhaust the stack. */
const MAX_DEPTH = 200;
const MAX_FORM_FIELDS = 100;

/**
 * Reads and validates a request body. The promise rejects with 415 for another media type, 413 above `maxBytes`, and
 * 400 for a body that is not UTF-8 JSON (or a form), is nested deeper than 200 levels, has a number above 1.8e308, or
 * does not match the schema.
 */
export function readBody(doc: BodyDoc): (req: Request, res: Response) => Promise<unknown> {
  const type = doc.contentType ?? 'application/json';
  const limit = doc.maxBytes ?? DEFAULT_MAX_BYTES;
  const parse =
    type === 'application/json'
      ? express.json({ type, limit, strict: false, verify: requireUtf8 })
      : express.urlencoded({ type, limit, extended: false, parameterLimit: MAX_FORM_FIELDS });
  return async (req, res) => {
    const matches = req.is(type);
    // undici in the gateway sends `Content-Length: 0` for a POST or PUT without a body.
    if (matches === null || req.headers['content-length'] === '0') {
      if (doc.optional) return parseInput(doc.schema, {});
      throw malformed('The body is empty');
    }
    if (!matches) throw httpError('unsupported_media_type', `The body must be ${type}`);
    if (Number(req.headers['content-length']) > limit) throw tooLarge(limit);
    await new Promise<void>((resolve, reject) => {
      // body-parser responds only after it has read the rest, which may have any length.
      if (req.headers['transfer-encoding'] !== undefined) watchLength(req, limit, reject);
      parse(req, res, (error?: unknown) => (error ? reject(fromParserError(error, limit)) : resolve()));
    });
    if (req.body === undefined) throw malformed('The body is empty');
    const problem = findProblem(req.body, MAX_DEPTH);
    if (problem) throw malformed(problem);
    return parseInput(doc.schema, req.body);
  };
}

function watchLength(req: Request, maxBytes: number, reject: (error: HttpError) => void): void {
  let left = maxBytes;
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) reject(tooLarge(maxBytes));
  });
}

function tooLarge(maxBytes: number): HttpError {
  return httpError('payload_too_large', `The body is larger than ${maxBytes} bytes`);
}

/** body-parser accepts every `charset=utf-…`. It passes these errors on, as `entity.verify.failed` without a type. */
function requireUtf8(_req: unknown, _res: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw Object.assign(new Error('another charset'), { type: 'charset.unsupported' });
  if (!isUtf8(body)) throw new Error('not UTF-8');
}

function malformed(message: string): HttpError {
  return validationError([{ path: '', code: 'malformed_body', message }]);
}

/** body-parser's errors have a documented `type`; decompression errors have only body-parser's status. */
function fromParserError(error: unknown, limit: number): unknown {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') return tooLarge(limit);
  if (type === 'charset.unsupported' || type === 'encoding.unsupported') {
    return httpError(
      'unsupported_media_type',
      'The body must be UTF-8, plain or compressed with gzip, deflate, br or zstd',
    );
  }
  if (type === 'entity.verify.failed') return malformed('The body is not UTF-8');
  if (type === 'entity.parse.failed') return malformed('The body is not valid JSON');
  if (type === 'parameters.too.many') return malformed('The form has too many fields');
  if (type === 'request.size.invalid') return malformed('The body is shorter or longer than its Content-Length');
  if (type === undefined && status === 400) return malformed('The body cannot be decompressed');
  return error;
}

/** Finds a value that would change when it is written as JSON again. */
function findProblem(value: unknown, levels: number): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'The body has a number that is too large';
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return `The body is nested deeper than ${MAX_DEPTH} levels`;
  for (const key in value) {
    const problem = findProblem(value[key as keyof typeof value], levels - 1);
    if (problem) return problem;
  }
  return undefined;
}
