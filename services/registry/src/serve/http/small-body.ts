import type { Kept } from '../caching/response-cache.ts';
import { type Coding, encode, negotiateCoding } from './encoding.ts';
import { etagFor } from './entity-tag.ts';
import type { RequestContext } from './request-context.ts';
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

/** Sends 304, or 200 with the body of `make`, called with the coding that the client prefers. Caches the response. */
export async function sendSmall(
  { served, req, res, cache }: RequestContext,
  digest: string,
  make: (wanted: Coding) => SmallBody | Promise<SmallBody>,
): Promise<undefined> {
  const wanted = negotiateCoding(req);
  const validators = { etag: etagFor(digest, wanted), coding: wanted, lastModified: served.meta.at };
  if (sendNotModified(req, res, validators)) {
    cache.store(served, req, res, undefined);
    return;
  }
  const { body, coding, bytes } = await make(wanted);
  sendBody(res, { ...validators, coding }, body);
  cache.store(served, req, res, body, bytes);
}

function toSmallBody(body: Buffer, coding: Coding): SmallBody {
  return { body, coding, bytes: body.length };
}
