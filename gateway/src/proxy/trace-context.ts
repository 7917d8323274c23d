import { randomBytes } from 'node:crypto';

/** W3C Trace Context section 3.2: version 255 and ids of zeros are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
/** Random digits are drawn for many ids at once: a draw for each costs more than a microsecond. */
const POOL_BYTES = (TRACE_ID_BYTES + SPAN_ID_BYTES) * 256;
let pool = '';
let used = 0;

export function isTraceparent(header: string): boolean {
  return TRACEPARENT.test(header);
}

/** A new `traceparent`, not sampled. */
export function createTraceparent(): string {
  if (used === pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    used = 0;
  }
  const spanAt = used + TRACE_ID_BYTES * 2;
  const end = spanAt + SPAN_ID_BYTES * 2;
  const traceparent = `00-${pool.slice(used, spanAt)}-${pool.slice(spanAt, end)}-00`;
  used = end;
  return traceparent;
}
