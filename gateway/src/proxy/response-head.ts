import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import { COMMON_HEADERS, responseHeaders } from '../response-headers.ts';
import { HOP_BY_HOP, namedIn } from './upstream-request.ts';

const NOT_RETURNED = new Set([...HOP_BY_HOP, 'server', 'x-powered-by', ...COMMON_HEADERS]);
const NOT_RETURNED_PREFIX = /^(?:proxy|x-fleet|access-control)-/;
/** The service of open paths sets its own CORS headers. */
const NOT_RETURNED_PREFIX_IF_OPEN = /^(?:proxy|x-fleet)-/;

/** The headers for the client, names and values in turn; repeated ones stay repeated. */
export function toClientHeaders(
  status: number,
  headers: IncomingHttpHeaders,
  { req, locals }: Pick<Response, 'req' | 'locals'>,
): (string | string[])[] {
  const { route, variesByOrigin, clientPrefix: prefix = '' } = locals;
  const returned: (string | string[])[] = responseHeaders(req.headers, locals, headers);
  const named = namedIn(headers.connection);
  const dropped = route?.isOpen ? NOT_RETURNED_PREFIX_IF_OPEN : NOT_RETURNED_PREFIX;
  for (const name in headers) {
    if (NOT_RETURNED.has(name) || dropped.test(name) || named?.has(name)) continue;
    // RFC 9110 section 8.6: never with 204.
    if ((status === 204 && name === 'content-length') || (variesByOrigin && name === 'vary')) continue;
    const value = headers[name] as string | string[];
    returned.push(name, prefix && (name === 'link' || name === 'location') ? withPrefix(value, prefix) : value);
  }
  return returned;
}

/** Paths are `</path>` in `Link`, and the whole of `Location`. */
function withPrefix(value: string | string[], prefix: string): string | string[] {
  if (Array.isArray(value)) return value.map((one) => withPrefix(one, prefix) as string);
  return value.replace(/(^|<)\/(?!\/)/g, `$1${prefix}/`);
}
