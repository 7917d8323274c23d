import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { ClientGone, type HttpError, httpError } from '../http/errors.ts';
import { malformed, tooLarge } from './body-errors.ts';
import type { BodyDoc } from './operation.ts';

const MAX_FORM_FIELDS = 100;

/** Reads a body with body-parser: forms, other spellings of JSON's media type, and compressed bodies. */
export function createBodyParser(type: Required<BodyDoc>['contentType'], maxBytes: number) {
  const parse =
    type === 'application/json'
      ? express.json({ type, limit: maxBytes, strict: false, verify: requireUtf8 })
      : express.urlencoded({ type, limit: maxBytes, extended: false, parameterLimit: MAX_FORM_FIELDS });
  return (req: Request, res: Response): Promise<unknown> =>
    new Promise((resolve, reject) => {
      // body-parser responds only after it has read the rest, which may have any length.
      if (req.headers['transfer-encoding'] !== undefined) watchLength(req, maxBytes, reject);
      parse(req, res, (error?: unknown) => (error ? reject(fromParserError(error, maxBytes)) : resolve(req.body)));
    });
}

function watchLength(req: Request, maxBytes: number, reject: (error: HttpError) => void): void {
  let left = maxBytes;
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) reject(tooLarge(maxBytes));
  });
}

/** body-parser accepts every `charset=utf-…`. It passes these errors on, as `entity.verify.failed` without a type. */
function requireUtf8(_req: unknown, _res: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw Object.assign(new Error('another charset'), { type: 'charset.unsupported' });
  if (!isUtf8(body)) throw new Error('not UTF-8');
}

/** body-parser's errors have a documented `type`; decompression errors have only body-parser's status. */
function fromParserError(error: unknown, maxBytes: number): unknown {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') return tooLarge(maxBytes);
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
  if (type === 'request.aborted') return new ClientGone();
  if (type === undefined && status === 400) return malformed('The body cannot be decompressed');
  return error;
}
