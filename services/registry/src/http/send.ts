import type { IncomingMessage, ServerResponse } from 'node:http';
import { noneMatchHits } from '@agent-fleet/shared/http/etag';
import { CACHE_CONTROL } from './contract.ts';
import { type Coding, negotiateCoding } from './encoding.ts';
import { parseHttpDate } from './http-date.ts';
import type { Representation, Variant } from './representation.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** What an answer says of its body, known before the body is made. */
export interface Validators {
  etag: string;
  /** Of the body. */
  coding: Coding;
  /** Milliseconds. */
  lastModified: number;
  /** Default JSON. */
  contentType?: string;
}

/** Answers 200 with the body that fits `Accept-Encoding`, which it gives, or 304. `lastModified` in milliseconds. */
export function sendRepresentation(
  req: IncomingMessage,
  res: ServerResponse,
  representation: Representation,
  lastModified: number,
  contentType?: string,
): Variant | undefined {
  const coding = negotiateCoding(req);
  const variant = representation[coding];
  const validators = { etag: variant.etag, coding, lastModified, contentType };
  if (sendNotModified(req, res, validators)) return undefined;
  sendBody(res, validators, variant.body);
  return variant;
}

/** Answers 304 where the client has it already; else nothing is done yet, so that a body that cannot be made is an error like others. */
export function sendNotModified(req: IncomingMessage, res: ServerResponse, validators: Validators): boolean {
  if (!isNotModified(req, validators)) return false;
  setValidators(res, validators);
  res.writeHead(304).end();
  return true;
}

/** Answers 200 with a body in memory. */
export function sendBody(res: ServerResponse, validators: Validators, body: Buffer): void {
  setHeaders(res, validators);
  res.setHeader('content-length', body.length);
  res.writeHead(200).end(body);
}

/** All headers of a 200 but `Content-Length`. */
export function setHeaders(res: ServerResponse, validators: Validators): void {
  setValidators(res, validators);
  if (validators.coding !== 'identity') res.setHeader('content-encoding', validators.coding);
  res.setHeader('content-type', validators.contentType ?? JSON_TYPE);
}

function setValidators(res: ServerResponse, { etag, lastModified }: Validators): void {
  res.setHeader('etag', etag);
  res.setHeader('last-modified', httpDate(lastModified));
  res.setHeader('cache-control', CACHE_CONTROL);
  res.setHeader('vary', 'Accept-Encoding');
}

/**
 * Whether the client has it already: what is answered anew and what is answered again both ask here. `If-Modified-Since` counts only
 * without `If-None-Match` and where it is an HTTP-date (RFC 9110 section 13.1.3).
 */
export function isNotModified(
  req: IncomingMessage,
  { etag, lastModified }: Pick<Validators, 'etag' | 'lastModified'>,
): boolean {
  const known = req.headers['if-none-match'];
  if (known !== undefined) return noneMatchHits(known, etag);
  const header = req.headers['if-modified-since'];
  const since = header === undefined ? undefined : parseHttpDate(header);
  return since !== undefined && Math.floor(lastModified / 1_000) * 1_000 <= since;
}

let last = { time: Number.NaN, text: '' };

/** Mostly the same time again: that of the snapshot. */
function httpDate(time: number): string {
  if (time !== last.time) last = { time, text: new Date(time).toUTCString() };
  return last.text;
}
