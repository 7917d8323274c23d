import type { IncomingMessage, ServerResponse } from 'node:http';
import { noneMatchHits } from '@agent-fleet/shared/http/etag';
import { parseHttpDate } from '../../http-date.ts';
import { CACHE_CONTROL } from './contract.ts';
import type { Coding } from './encoding.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Metadata of a response that is known before its body is built. */
export interface Validators {
  etag: string;
  /** Of the body. */
  coding: Coding;
  /** Milliseconds. */
  lastModified: number;
  /** Default JSON. */
  contentType?: string;
}

/** Sends 304 if the client's copy is current. Otherwise sends nothing yet, so that building the body may still fail. */
export function sendNotModified(req: IncomingMessage, res: ServerResponse, validators: Validators): boolean {
  if (!isNotModified(req, validators)) return false;
  setValidators(res, validators);
  res.writeHead(304).end();
  return true;
}

/** Sends 200 with a body in memory. */
export function sendBody(res: ServerResponse, validators: Validators, body: Buffer): void {
  setHeaders(res, validators);
  res.setHeader('content-length', body.length);
  res.writeHead(200).end(body);
}

/** All headers of a 200 except `Content-Length`. */
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
 * Whether the client's copy is current, for new and for cached responses. `If-Modified-Since` counts only without
 * `If-None-Match` and if it is a valid HTTP-date (RFC 9110 section 13.1.3).
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

/** Memoized, as most responses have the time of the snapshot. */
function httpDate(time: number): string {
  if (time !== last.time) last = { time, text: new Date(time).toUTCString() };
  return last.text;
}
