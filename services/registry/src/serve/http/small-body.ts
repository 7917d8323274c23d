import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Kept } from '../caching/lru-cache.ts';
import { type Coding, encode, negotiateCoding } from './encoding.ts';
import { etagFor } from './representation.ts';
import { sendBody, sendNotModified } from './send.ts';

/** Below this size compression costs more than it saves. */
const MIN_COMPRESSED_BYTES = 1_024;

/** A body built for one request or a few identical ones. */
export interface SmallBody extends Kept {
  body: Buffer;
  coding: Coding;
}

/** Compresses only above 1 KiB. Returns synchronously when there is nothing to compress. */
export function encodeSmall(json: Buffer | Promise<Buffer>, wanted: Coding): SmallBody | Promise<SmallBody> {
  if (json instanceof Promise) return json.then((made) => encodeSmall(made, wanted));
  if (wanted === 'identity' || json.length <= MIN_COMPRESSED_BYTES) return toSmallBody(json, 'identity');
  return encode(json, wanted).then((body) => toSmallBody(body, wanted));
}

/** Sends 304, or 200 with the body of `make`, called with the coding that the client prefers. */
export async function sendSmall(
  req: IncomingMessage,
  res: ServerResponse,
  digest: string,
  lastModified: number,
  make: (wanted: Coding) => SmallBody | Promise<SmallBody>,
): Promise<undefined> {
  const wanted = negotiateCoding(req);
  const validators = { etag: etagFor(digest, wanted), coding: wanted, lastModified };
  if (sendNotModified(req, res, validators)) return;
  const { body, coding } = await make(wanted);
  sendBody(res, { ...validators, coding }, body);
}

function toSmallBody(body: Buffer, coding: Coding): SmallBody {
  return { body, coding, bytes: body.length };
}
