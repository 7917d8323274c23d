import { z } from 'zod';

const INTEGER = /^-?(0|[1-9]\d{0,15})$/;

interface IntegerBounds {
  min: number;
  max: number;
  description: string;
}

/** An optional decimal integer in the query. A repeated or empty parameter, `0x10`, `1.5` and ` 5` are refused. */
export function queryInteger(bounds: IntegerBounds) {
  return integerText(bounds).optional().meta(describe(bounds));
}

/** The same with a default. */
export function queryIntegerOr(value: number, bounds: IntegerBounds) {
  return integerText(bounds)
    .prefault(String(value))
    .meta({ ...describe(bounds), default: value });
}

function integerText({ min, max }: IntegerBounds) {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
  return (
    z
      .string('must be given once')
      // Aborts, so that checks of several parameters run for valid ones only.
      .regex(INTEGER, { error: `must be a whole number, ${bounds}`, abort: true })
      .transform(Number)
      .refine((value) => value >= min && value <= max, { error: `must be ${bounds}`, abort: true })
  );
}

/** zod's own coercion appears as a nullable integer in the OpenAPI document. */
function describe({ min, max, description }: IntegerBounds) {
  return { type: 'integer' as const, minimum: min, maximum: max, description };
}

/** An optional text filter; empty means no filter, a repeated parameter is refused. */
export function queryText(description: string) {
  return z
    .string('must be given once')
    .transform((value) => value || undefined)
    .optional()
    .meta({ type: 'string', description });
}

/** An optional `true` or `false`; a repeated or empty parameter is refused. */
export function queryBoolean(description: string) {
  return z
    .enum(['true', 'false'], 'must be true or false')
    .transform((text) => text === 'true')
    .optional()
    .meta({ type: 'boolean', description });
}

/** `order`: `asc`, the default, or `desc`. */
export const orderParameter = z
  .enum(['asc', 'desc'], 'must be asc or desc')
  .default('asc')
  .meta({ description: '`asc`: oldest first. `desc`: newest first.' });

export type Order = z.output<typeof orderParameter>;

/** `skip`: 0 or more, default 0. */
export const skipParameter = queryIntegerOr(0, {
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  description: 'Number of entries to skip.',
});

/** `limit`: 1 to 1000, default 100. */
export const limitParameter = queryIntegerOr(100, { min: 1, max: 1000, description: 'Maximum number of entries.' });

/** The requested part of a list. */
export interface Page {
  skip: number;
  limit: number;
}

/**
 * The headers `X-Total-Count` and `Link` (RFC 8288, relations `next` and, if `skip` is not 0, `prev`) of a page. `url`
 * is the path and query of the request. Links are relative to the origin, so that they are valid behind any proxy.
 * `passed` is the number of entries on a page that may have fewer than `limit`.
 */
export function pageHeaders(url: string, page: Page, total: number, passed = page.limit): Record<string, string> {
  const headers: Record<string, string> = { 'x-total-count': String(total) };
  const next = page.skip + passed;
  const previous = Math.max(0, page.skip - page.limit);
  const links: string[] = [];
  if (passed > 0 && next < total) links.push(linkTo(url, { skip: next, limit: page.limit }, 'next'));
  if (page.skip > 0) links.push(linkTo(url, { skip: previous, limit: page.limit }, 'prev'));
  if (links.length > 0) headers.link = links.join(', ');
  return headers;
}

/** Formats a `Link` header: the URL of the request with other values of some query parameters, undefined for none. */
export function linkTo(url: string, parameters: Record<string, string | number | undefined>, relation: string): string {
  const [path = '', query] = url.split(/\?(.*)/s);
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) all.delete(name);
    else all.set(name, String(value));
  }
  return `<${path}?${all}>; rel="${relation}"`;
}

/** The headers that `pageHeaders` sets, for the OpenAPI document. */
export const PAGE_HEADERS = {
  'X-Total-Count': { description: 'Total number of entries.', schema: { type: 'integer' as const }, required: true },
  Link: {
    description: 'Relation `next` if there is such a page, and `prev` if `skip` is not 0.',
    schema: { type: 'string' as const },
  },
};
