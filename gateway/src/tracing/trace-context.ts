import { randomBytes } from 'node:crypto';

/** W3C Trace Context section 3.2, as we write it: ids of zeros are invalid, of the flags we know `sampled` and `random`. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[0-3]$/;
/** The same in any version but 255, with what later versions may put behind it. A comma is of a second header, which makes both invalid. */
const ANY_VERSION = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-[^,]*)?$/;
const KNOWN_FLAGS = 0b11;

/** Section 3.3.1 in Level 2, which takes all keys of Level 1: a key, and a value that does not end in a blank. */
const TRACESTATE_MEMBER = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;
const MAX_MEMBERS = 32;
const MAX_TRACESTATE_LENGTH = 512;
const LONG_MEMBER_LENGTH = 128;

const TRACE_ID_DIGITS = 32;
const SPAN_ID_DIGITS = 16;
/** Random digits are drawn for many ids at once: a draw for each costs more than a microsecond. */
const POOL_BYTES = 6 * 1024;
let pool = '';
let used = 0;

/** A received `traceparent` as one of version 00, undefined when it is invalid and the trace begins anew (sections 3.2.2 and 4.2). */
export function readTraceparent(header: string): string | undefined {
  if (TRACEPARENT.test(header)) return header;
  const match = ANY_VERSION.exec(header);
  if (!match) return undefined;
  const [, version, ids, flags = '', more] = match;
  if (version === '00' && more !== undefined) return undefined;
  return `00-${ids}-0${Number.parseInt(flags, 16) & KNOWN_FLAGS}`;
}

/**
 * A received `tracestate` as it is passed on, undefined when a member of it is invalid or there are more than 32. What is longer than 512
 * characters loses members of more than 128, then those at its end (section 3.3.1.5).
 */
export function readTracestate(header: string): string | undefined {
  const members = header.split(',').flatMap((member) => member.trim() || []);
  if (members.length === 0 || members.length > MAX_MEMBERS) return undefined;
  if (!members.every((member) => TRACESTATE_MEMBER.test(member))) return undefined;
  return shorten(members).join(',') || undefined;
}

function shorten(members: string[]): string[] {
  let length = members.reduce((sum, member) => sum + member.length + 1, -1);
  for (const longerThan of [LONG_MEMBER_LENGTH, 0]) {
    for (let at = members.length - 1; at >= 0 && length > MAX_TRACESTATE_LENGTH; at--) {
      const member = members[at] as string;
      if (member.length <= longerThan) continue;
      members.splice(at, 1);
      length -= member.length + 1;
    }
  }
  return members;
}

/** A new `traceparent`, not sampled. */
export function createTraceparent(): string {
  return `00-${draw(TRACE_ID_DIGITS)}-${draw(SPAN_ID_DIGITS)}-00`;
}

export function createSpanId(): string {
  return draw(SPAN_ID_DIGITS);
}

/** The same trace in a span of its own, sampled. */
export function toSampled(traceparent: string, spanId: string): string {
  return `${traceparent.slice(0, 36)}${spanId}-0${Number(traceparent[54]) | 1}`;
}

export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** The span that a `traceparent` names: `parent-id` to the one who gets it. */
export function spanIdOf(traceparent: string): string {
  return traceparent.slice(36, 52);
}

/** Of version 00. */
export function isSampled(traceparent: string): boolean {
  // The digits 0 to 3 are in the order of their character codes, and the first of these is even.
  return (traceparent.charCodeAt(54) & 1) === 1;
}

function draw(digits: number): string {
  if (used + digits > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    used = 0;
  }
  used += digits;
  return pool.slice(used - digits, used);
}
