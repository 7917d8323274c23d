import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { INTERNAL_TOKEN_HEADER } from '@agent-fleet/shared/http/internal-access';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import { toSampled } from '@agent-fleet/shared/tracing/trace-context';
import type { Response } from 'express';
import { SCHEMES } from '../auth/schemes/schemes.ts';
import { COMMON_HEADERS, responseHeaders } from '../response-headers.ts';

/** RFC 9110 section 7.6.1, and older ones that clients still send. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'];

/** Headers with a prefix below are dropped too. The gateway writes body framing, `Host` and the trace itself. */
const NOT_FORWARDED = new Set([
  ...HOP_BY_HOP,
  ...['host', 'content-length', 'expect', 'traceparent', 'tracestate', 'forwarded', 'x-real-ip'],
  // Credentials end at the gateway.
  ...SCHEMES.map(({ header }) => header.toLowerCase()),
  'set-cookie',
  // The gateway has checked the method: no framework in a service may replace it.
  ...['x-http-method-override', 'x-http-method', 'x-method-override'],
]);
const NOT_FORWARDED_PREFIX = /^(?:proxy|x-fleet|x-forwarded)-/;

const NOT_RETURNED = new Set([...HOP_BY_HOP, 'server', 'x-powered-by', ...COMMON_HEADERS]);
const NOT_RETURNED_PREFIX = /^(?:proxy|x-fleet|access-control)-/;
/** The service of open paths sets its own CORS headers. */
const NOT_RETURNED_PREFIX_IF_OPEN = /^(?:proxy|x-fleet)-/;

/** The headers of a client's request as they go to a service, names and values in turn; without `content-length`. */
export function toUpstreamHeaders(
  req: IncomingMessage,
  locals: Express.Locals,
  { host, internalToken }: { host: string; internalToken: string | undefined },
): string[] {
  const { headers, socket } = req;
  const forwarded = ['host', host];
  const named = namedIn(headers.connection);
  for (const name in headers) {
    const isDropped = named?.has(name) && name !== REQUEST_ID_HEADER;
    if (isForwarded(name) && !isDropped) forwarded.push(name, headers[name] as string);
  }
  // The gateway has validated or created them.
  const { traceparent, tracestate } = headers as Record<string, string | undefined>;
  const attempt = locals.span?.attempts.at(-1);
  if (traceparent) forwarded.push('traceparent', attempt ? toSampled(traceparent, attempt.id) : traceparent);
  if (tracestate) forwarded.push('tracestate', tracestate);
  forwarded.push('x-forwarded-for', locals.clientAddress ?? socket.remoteAddress ?? 'unknown');
  forwarded.push('x-forwarded-proto', locals.clientProtocol ?? ((socket as TLSSocket).encrypted ? 'https' : 'http'));
  forwarded.push('x-forwarded-host', headers.host as string);
  if (locals.caller) forwarded.push(...locals.caller.headers);
  if (internalToken !== undefined) forwarded.push(INTERNAL_TOKEN_HEADER, internalToken);
  return forwarded;
}

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

/** Some servers read `_` as `-`, so both spellings of a name are dropped. */
function isForwarded(sent: string): boolean {
  const name = sent.includes('_') ? sent.replaceAll('_', '-') : sent;
  return !NOT_FORWARDED.has(name) && !NOT_FORWARDED_PREFIX.test(name);
}

function namedIn(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(connection.split(',').map((token) => token.trim().toLowerCase()));
}
