import type { IncomingMessage, ServerResponse } from 'node:http';
import { noneMatchHits } from '@agent-fleet/shared/etag';
import { CACHE_CONTROL } from './contract.ts';
import { type Coding, encode, negotiateCoding } from './encoding.ts';
import { digestOf, etagFor, type Representation, type Variant } from './representation.ts';

/** Below this compressing costs more than it saves. */
const MIN_COMPRESSED_BYTES = 1_024;

/** Answers 200 with the body that fits `Accept-Encoding`, or 304. `lastModified` in milliseconds. */
export function answerRepresentation(
  req: IncomingMessage,
  res: ServerResponse,
  representation: Representation,
  lastModified: number,
): void {
  const coding = negotiateCoding(req);
  answerVariant(req, res, { ...representation[coding], coding }, lastModified);
}

/** A body made for one request, compressed only when it is larger than 1 KiB. */
export async function encodeText(text: string, wanted: Coding): Promise<Variant & { coding: Coding }> {
  const body = Buffer.from(text);
  const coding = body.length > MIN_COMPRESSED_BYTES ? wanted : 'identity';
  return { body: await encode(body, coding, 'cheap'), etag: etagFor(digestOf(body), coding), coding };
}

/** Answers 200 with this body, or 304 where the client has it. */
export function answerVariant(
  req: IncomingMessage,
  res: ServerResponse,
  { body, etag, coding }: Variant & { coding: Coding },
  lastModified: number,
): void {
  res.setHeader('etag', etag);
  res.setHeader('last-modified', new Date(lastModified).toUTCString());
  res.setHeader('cache-control', CACHE_CONTROL);
  res.setHeader('vary', 'Accept-Encoding');
  if (isNotModified(req, etag, lastModified)) {
    res.writeHead(304).end();
    return;
  }
  if (coding !== 'identity') res.setHeader('content-encoding', coding);
  res.setHeader('content-type', 'application/json; charset=utf-8');
  res.setHeader('content-length', body.length);
  res.writeHead(200).end(body);
}

/** `If-Modified-Since` counts only without `If-None-Match` (RFC 9110 section 13.1.3). */
function isNotModified(req: IncomingMessage, etag: string, lastModified: number): boolean {
  const known = req.headers['if-none-match'];
  if (known !== undefined) return noneMatchHits(known, etag);
  const since = Date.parse(req.headers['if-modified-since'] ?? '');
  return Math.floor(lastModified / 1_000) * 1_000 <= since;
}
