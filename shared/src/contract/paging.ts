import { z } from 'zod';

const INTEGER = /^-?(0|[1-9]\d{0,15})$/;

interface IntegerBounds {
  min: number;
  max: number;
  description: string;
}

/**
 * An optional query parameter that is a whole number in decimal; repeated, empty, `0x10`, `1.5` and ` 5` are refused.
 */
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
  return { type: 'integer' as const, minimum: min, maximum: max, description };
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
 * `X-Total-Count` and `Link` (RFC 8288, relations `next` and `prev`) of a page. `url` is the request's path and query;
 * links are relative to the origin, so they hold behind any proxy. `passed` is how many the page covers, where that may
 * be fewer than its limit.
 */
export function pageHeaders(url: string, page: Page, total: number, passed = page.limit): Record<string, string> {
  const headers: Record<string, string> = { 'x-total-count': String(total) };
  const next = page.skip + passed;
  const hasNext = passed > 0 && next < total;
  if (!hasNext && page.skip === 0) return headers;
  const links = new PageLinks(url);
  const previous = Math.max(0, page.skip - page.limit);
  const nextLink = hasNext && links.to({ skip: next, limit: page.limit }, 'next');
  const previousLink = page.skip > 0 && links.to({ skip: previous, limit: page.limit }, 'prev');
  headers.link = nextLink && previousLink ? `${nextLink}, ${previousLink}` : nextLink || previousLink || '';
  return headers;
}

/** The value of a `Link` header: the same request with other values of some query parameters. */
export function linkTo(url: string, parameters: Record<string, string | number>, relation: string): string {
  return new PageLinks(url).to(parameters, relation);
}

/** Reads the query once, whatever links are made of it. */
class PageLinks {
  readonly #path: string;
  readonly #query: URLSearchParams;

  constructor(url: string) {
    const at = url.indexOf('?');
    this.#path = at < 0 ? url : url.slice(0, at);
    this.#query = new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
  }

  to(parameters: Record<string, string | number>, relation: string): string {
    for (const name in parameters) this.#query.set(name, String(parameters[name]));
    return `<${this.#path}?${this.#query}>; rel="${relation}"`;
  }
}

/** Documentation of the headers that `pageHeaders` sets. */
export const PAGE_HEADERS = {
  'X-Total-Count': { description: 'How many there are in all.', schema: { type: 'integer' as const }, required: true },
  Link: {
    description: 'Relations `next` and `prev`, where there are such pages.',
    schema: { type: 'string' as const },
  },
};
