import { isObject } from './record-fields.ts';
import type { Report } from './report.ts';
import { cleanLine, cleanText, cutText, isMeaningful } from './text.ts';

const MAX_NAME = 200;
const MAX_DESCRIPTION = 8_192;
const MAX_LABEL = 200;
const LAST_TIMESTAMP_MS = Date.UTC(9999, 11, 31);
/** Numbers below this are seconds since 1970, above milliseconds. */
const FIRST_MILLISECONDS = 100_000_000_000;
const DATE = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Makes a parser of one line of at most `max` code points; numbers count as texts. */
export function toLine(max: number): (value: unknown) => string | undefined {
  return (value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    return cutText(cleanLine(String(value)), max) || undefined;
  };
}

export function toName(value: unknown): string | undefined {
  const line = toLine(MAX_NAME)(value);
  return line !== undefined && isMeaningful(line) ? line : undefined;
}

/** A description; blank ones and such as `|` are none. */
export function toParagraph(report: Report): (value: unknown) => string | undefined {
  return (value) => {
    if (typeof value !== 'string') return undefined;
    const text = cleanText(value);
    if (!isMeaningful(text)) return undefined;
    const kept = cutText(text, MAX_DESCRIPTION);
    if (kept.length < text.length) report.warn('text_cut');
    return kept;
  };
}

/** A label, or the name of an object such as `{name, email}`, or the first of several. */
export function toLabel(value: unknown): string | undefined {
  if (Array.isArray(value)) return toLabel(value[0]);
  if (isObject(value)) return toLine(MAX_LABEL)(value.name ?? value.login ?? value.username ?? value.id ?? value.slug);
  const line = toLine(MAX_LABEL)(value);
  return line !== undefined && isMeaningful(line) ? line : undefined;
}

export function toLicense(value: unknown): string | undefined {
  return isObject(value) ? toLabel(value.spdx_id ?? value) : toLabel(value);
}

export function toCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  if (typeof count !== 'number' || !(count >= 0)) return undefined;
  return Number.isSafeInteger(Math.floor(count)) ? Math.floor(count) : undefined;
}

export function toFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** ISO 8601 or seconds or milliseconds since 1970, as RFC 3339 in UTC; a time without a zone is taken as UTC. */
export function toTimestamp(value: unknown): string | undefined {
  const ms = typeof value === 'number' ? (value < FIRST_MILLISECONDS ? value * 1_000 : value) : parseDate(value);
  return ms !== undefined && ms >= 0 && ms <= LAST_TIMESTAMP_MS ? new Date(ms).toISOString() : undefined;
}

function parseDate(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  const [date, time, zone] = DATE.exec(text) ?? [];
  return date === undefined ? undefined : Date.parse(time && !zone ? `${text}Z` : text);
}
