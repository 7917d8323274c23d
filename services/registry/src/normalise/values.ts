import { isObject } from '@agent-fleet/shared/contract/json-object';
import { cleanLine, cleanText, cutText, isMeaningful } from '../skills/text.ts';
import type { RecordNotes } from './record-fields.ts';

/** Of paths, refs and addresses. */
export const MAX_ADDRESS_LENGTH = 1_024;
const MAX_NAME = 200;
const MAX_DESCRIPTION = 8_192;
const MAX_LABEL = 200;
const MAX_VERSION = 64;
const LAST_TIMESTAMP_MS = Date.UTC(9999, 11, 31);
/** The year 2001 in seconds since 1970: no registry is older. */
const FIRST_SECONDS = 1_000_000_000;
/** Smaller numbers are seconds since 1970, larger ones milliseconds. */
const FIRST_MILLISECONDS = 100_000_000_000;
const DATE = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i;
/** Fast path: days that exist in every month. */
const COMMON_DAY = '(?:19[7-9]\\d|2\\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])';
const COMMON_TIME = new RegExp(`^${COMMON_DAY}T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{3})?Z$`);
/** What remains of a YAML block scalar. Less than this may be a mark of Markdown. */
const BLOCK_SCALAR = /^[|>](?:(?:[+-]\d?|\d[+-]?)\s+|\s{2,}|\n)/;
const SHA256 = /^(?:sha256[:-])?([0-9a-f]{64})$/i;

/** One line of at most `max` code points; numbers count as texts. */
export function toLine(value: unknown, max: number, notes: RecordNotes): string | undefined {
  const line = toUncutLine(value, notes);
  return line === undefined ? undefined : cutNoted(line, max, notes);
}

/** Truncates to `max` code points, and notes it. */
export function cutNoted(text: string, max: number, notes: RecordNotes): string {
  if (text.length <= max) return text;
  const kept = cutText(text, max);
  if (kept.length < text.length) notes.isTextCut = true;
  return kept;
}

/** One line; undefined above `max`, as a truncated address or command means another one. */
export function toWholeLine(value: unknown, max: number, notes: RecordNotes): string | undefined {
  const line = toUncutLine(value, notes);
  return line === undefined || line.length > max ? undefined : line;
}

function toUncutLine(value: unknown, notes: RecordNotes): string | undefined {
  if (typeof value === 'string') return cleanLine(value, notes.isPlain) || undefined;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

export function toName(value: unknown, notes: RecordNotes): string | undefined {
  return toMeaningfulLine(value, MAX_NAME, notes);
}

function toMeaningfulLine(value: unknown, max: number, notes: RecordNotes): string | undefined {
  const line = toUncutLine(value, notes);
  if (line === undefined) return undefined;
  if (line.length <= max) return isMeaningful(line) ? line : undefined;
  // Only the part that is kept counts.
  return isMeaningful(cutText(line, max)) ? cutNoted(line, max, notes) : undefined;
}

/** A description; undefined without letters, such as `|`. */
export function toParagraph(value: unknown, notes: RecordNotes): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = cleanText(value, notes.isPlain).replace(BLOCK_SCALAR, '');
  return isMeaningful(text) ? cutNoted(text, MAX_DESCRIPTION, notes) : undefined;
}

/** A label: a text, the name of an object such as `{name, email}`, or the first of a list of these. */
export function toLabel(value: unknown, notes: RecordNotes): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const label = isObject(first) ? (first.name ?? first.login ?? first.username ?? first.id ?? first.slug) : first;
  return toMeaningfulLine(label, MAX_LABEL, notes);
}

export function toLicense(value: unknown, notes: RecordNotes): string | undefined {
  return toLabel(isObject(value) ? (value.spdx_id ?? value) : value, notes);
}

/** A version is never truncated. */
export function toVersion(value: unknown, notes: RecordNotes): string | undefined {
  const line = toWholeLine(value, MAX_VERSION, notes);
  return line !== undefined && isMeaningful(line) ? line : undefined;
}

export function toCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  if (typeof count !== 'number' || !(count >= 0)) return undefined;
  return Number.isSafeInteger(Math.floor(count)) ? Math.floor(count) : undefined;
}

/** Front matter has texts only. */
export function toFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : value === 'true' || undefined;
}

/** SHA-256 in hex, with or without a prefix, as `sha256:` and lower case. */
export function toDigest(value: unknown): string | undefined {
  const hex = typeof value === 'string' ? SHA256.exec(value.trim())?.[1] : undefined;
  return hex === undefined ? undefined : `sha256:${hex.toLowerCase()}`;
}

/** Converts ISO 8601, or seconds or milliseconds since 1970, to RFC 3339 in UTC. Times without a zone are UTC. */
export function toTimestamp(value: unknown): string | undefined {
  const common = typeof value === 'string' ? COMMON_TIME.exec(value) : null;
  if (common !== null) return common[1] === undefined ? `${common[0].slice(0, -1)}.000Z` : common[0];
  const ms = typeof value === 'number' ? toMilliseconds(value) : parseDate(value);
  return ms !== undefined && ms >= 0 && ms <= LAST_TIMESTAMP_MS ? new Date(ms).toISOString() : undefined;
}

/** Undefined for small numbers, such as a year. */
function toMilliseconds(value: number): number | undefined {
  if (value < FIRST_SECONDS) return undefined;
  return value < FIRST_MILLISECONDS ? value * 1_000 : value;
}

function parseDate(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  const [date, time, zone] = DATE.exec(text) ?? [];
  // `Date.parse` would move February 30 to March.
  if (date === undefined || !isDay(text.slice(0, 10))) return undefined;
  return Date.parse(time && !zone ? `${text}Z` : text);
}

function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
