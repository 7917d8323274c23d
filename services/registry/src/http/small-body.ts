import { type Coding, encode } from './encoding.ts';
import type { Kept } from './lru-cache.ts';

/** Below this compressing costs more than it saves. */
const MIN_COMPRESSED_BYTES = 1_024;

/** A body made for one request, or for a few of the same. */
export interface SmallBody extends Kept {
  body: Buffer;
  coding: Coding;
}

/** Compressed only when it is larger than 1 KiB. At once where nothing is to be compressed. */
export function encodeSmall(json: Buffer | Promise<Buffer>, wanted: Coding): SmallBody | Promise<SmallBody> {
  if (json instanceof Promise) return json.then((made) => encodeSmall(made, wanted));
  if (wanted === 'identity' || json.length <= MIN_COMPRESSED_BYTES) return toSmallBody(json, 'identity');
  return encode(json, wanted).then((body) => toSmallBody(body, wanted));
}

function toSmallBody(body: Buffer, coding: Coding): SmallBody {
  return { body, coding, bytes: body.length };
}
