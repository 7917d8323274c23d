import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import { COMMON_HEADERS, responseHeaders } from '../response-headers.ts';
import { HOP_BY_HOP, namedIn } from './upstream-request.ts';

const NOT_RETURNED = new Set([...HOP_BY_HOP, 'server', 'x-powered-by', ...COMMON_HEADERS]);
const NOT_RETURNED_PREFIX = /^(?:proxy|x-fleet|access-control)-/;
/** The service of open paths sets its own CORS headers. */
const NOT_RETURNED_PREFIX_IF_OPEN = /^(?:proxy|x-fleet)-/;

/** The response headers for the client, names and values in turn; repeated headers stay repeated. */
export function toClientHeaders(
  status: number,
  headers: IncomingHttpHeaders,
  { req, locals }: Pick<Response, 'req' | 'locals'>,
): (string | string[])[] {
  const { route, variesByOrigin } = locals;
  const returned: (string | string[])[] = responseHeaders(req.headers, locals, headers);
  const named = namedIn(headers.connection);
  const dropped = route?.isOpen ? NOT_RETURNED_PREFIX_IF_OPEN : NOT_RETURNED_PREFIX;
  for (const name in headers) {
    if (NOT_RETURNED.has(name) || dropped.test(name) || named?.has(name)) continue;
    // RFC 9110 section 8.6: never with 204.
    if ((status === 204 && name === 'content-length') || (variesByOrigin && name === 'vary')) continue;
    returned.push(name, headers[name] as string | string[]);
  }
  return returned;
}
