import { randomFillSync } from 'node:crypto';

/** W3C Trace Context section 3.2: version 255 and ids of zeros are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
/** Random bytes are drawn for many ids at once: a draw for each costs more than a microsecond. */
const pool = Buffer.alloc((TRACE_ID_BYTES + SPAN_ID_BYTES) * 256);
let used = pool.length;

export function isTraceparent(header: string): boolean {
  return TRACEPARENT.test(header);
}

/** A new `traceparent`, not sampled. */
export function createTraceparent(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const spanAt = used + TRACE_ID_BYTES;
  const end = spanAt + SPAN_ID_BYTES;
  const traceparent = `00-${pool.toString('hex', used, spanAt)}-${pool.toString('hex', spanAt, end)}-00`;
  used = end;
  return traceparent;
}
