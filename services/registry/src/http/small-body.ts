import type { Kept } from './caching/lru-cache.ts';
import { type Coding, encode } from './encoding.ts';

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

function toSmallBody(body: Buffer, coding: Coding): SmallBody {
  return { body, coding, bytes: body.length };
}
