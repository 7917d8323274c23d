import { z } from 'zod';

const INTEGER = /^-?(0|[1-9]\d{0,15})$/;

interface IntegerBounds {
  min: number;
  max: number;
  description: string;
}

/** An optional query parameter that is a whole number in decimal; repeated, empty, `0x10`, `1.5` and ` 5` are refused. */
export function queryInteger(bounds: IntegerBounds) {
  return integerText(bounds).optional().meta(describe(bounds));
}

/** The same with a default. */
function queryIntegerOr(value: number, bounds: IntegerBounds) {
  return integerText(bounds)
    .prefault(String(value))
    .meta({ ...describe(bounds), default: value });
}

function integerText({ min, max }: IntegerBounds) {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
  return z
    .string('must be given once')
    .regex(INTEGER, `must be a whole number, ${bounds}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be ${bounds}`);
}

/** zod's coercion would be published as a nullable integer. */
function describe({ min, max, description }: IntegerBounds) {
  const maximum = max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max };
  return { type: 'integer' as const, minimum: min, ...maximum, description };
}

/** An optional text filter given at most once; empty is no filter. */
export function queryText(description: string) {
  return z
    .string('must be given once')
    .transform((value) => value || undefined)
    .optional()
    .meta({ type: 'string', description });
}

/** `skip`: 0 or more, default 0. */
export const skipParameter = queryIntegerOr(0, {
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  description: 'How many to pass over.',
});

/** `limit`: 1 to 1000, default 100. */
export const limitParameter = queryIntegerOr(100, { min: 1, max: 1000, description: 'How many to give at most.' });

/** The part of a list that is asked for. */
export interface Page {
  skip: number;
  limit: number;
}

/**
 * `X-Total-Count` and `Link` (RFC 8288, relations `next` and `prev`) of a page. `url` is the request's path and query; links are
 * relative to the origin, so they hold behind any proxy. `passed` is how many the page covers, where that may be fewer than its limit.
 */
export function pageHeaders(url: string, page: Page, total: number, passed = page.limit): Record<string, string> {
  const headers: Record<string, string> = { 'x-total-count': String(total) };
  const next = page.skip + passed;
  const links: string[] = [];
  if (passed > 0 && next < total) links.push(link(url, { ...page, skip: next }, 'next'));
  if (page.skip > 0) links.push(link(url, { ...page, skip: Math.max(0, page.skip - page.limit) }, 'prev'));
  if (links.length > 0) headers.link = links.join(', ');
  return headers;
}

function link(url: string, page: Page, relation: string): string {
  const [path, query] = splitOnce(url, '?');
  const parameters = new URLSearchParams(query);
  parameters.set('skip', String(page.skip));
  parameters.set('limit', String(page.limit));
  return `<${path}?${parameters}>; rel="${relation}"`;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Documentation of the headers that `pageHeaders` sets. */
export const PAGE_HEADERS = {
  'X-Total-Count': { description: 'How many there are in all.', schema: { type: 'integer' as const }, required: true },
  Link: {
    description: 'Relations `next` and `prev`, where there are such pages.',
    schema: { type: 'string' as const },
  },
};
