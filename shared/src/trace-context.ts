import { randomBytes } from 'node:crypto';

/** W3C Trace Context section 3.2, as written here: ids of zeros are invalid; flags are `sampled` and `random`. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[0-3]$/;
/** The same in any version except 255, with later versions' additions. A comma means two headers: both are invalid. */
const ANY_VERSION = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-[^,]*)?$/;
const DEFINED_FLAGS = 0b11;

/** Level 2, section 3.3.1, which accepts all keys of Level 1: a key, and a value that does not end in a space. */
const TRACESTATE_MEMBER = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;
const MAX_MEMBERS = 32;
const MAX_TRACESTATE_LENGTH = 512;
const SPAN_ID_BYTES = 8;

/** A received `traceparent` as version 00; undefined if it is invalid and a new trace starts (sections 3.2.2, 4.2). */
export function readTraceparent(header: string): string | undefined {
  if (TRACEPARENT.test(header)) return header;
  const match = ANY_VERSION.exec(header);
  if (!match) return undefined;
  const [, version, ids, flags = '', more] = match;
  if (version === '00' && more !== undefined) return undefined;
  return `00-${ids}-0${Number.parseInt(flags, 16) & DEFINED_FLAGS}`;
}

/**
 * A received `tracestate` as it is forwarded; undefined when a member is invalid, or with more than 32 members or 512
 * characters, which need not be passed on (section 3.3.1.5).
 */
export function readTracestate(header: string): string | undefined {
  const members = header.split(',').flatMap((member) => member.trim() || []);
  if (members.length === 0 || members.length > MAX_MEMBERS) return undefined;
  const state = members.join(',');
  return state.length <= MAX_TRACESTATE_LENGTH && members.every((member) => TRACESTATE_MEMBER.test(member))
    ? state
    : undefined;
}

export function createSpanId(): string {
  return randomBytes(SPAN_ID_BYTES).toString('hex');
}

/** The same trace with another span, sampled. */
export function toSampled(traceparent: string, spanId: string): string {
  return `${traceparent.slice(0, 36)}${spanId}-0${Number(traceparent[54]) | 1}`;
}

export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** The span id of a `traceparent`; its receiver calls it `parent-id`. */
export function spanIdOf(traceparent: string): string {
  return traceparent.slice(36, 52);
}

/** For version 00. */
export function isSampled(traceparent: string): boolean {
  // The digits 0 to 3 are in the order of their character codes, and the first of these is even.
  return (traceparent.charCodeAt(54) & 1) === 1;
}
