import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { INTERNAL_TOKEN_HEADER } from '@agent-fleet/shared/http/internal-access';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import { hasBody, SMALL_BODY_BYTES } from '@agent-fleet/shared/http/serve';
import { toSampled } from '@agent-fleet/shared/trace-context';
import type { Request } from 'express';
import type { Dispatcher } from 'undici';
import { SCHEMES } from '../auth/schemes/schemes.ts';
import { acceptsEventStream, isWaiting } from '../routing/routes.ts';
import { RequestBody } from './request-body.ts';
import type { Upstream } from './upstream.ts';

/** RFC 9110 section 7.6.1, and older ones that clients still send. */
export const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

/** Headers with a prefix below are dropped too. The gateway writes body framing, `Host` and the trace itself. */
const NOT_FORWARDED = new Set([
  ...HOP_BY_HOP,
  ...['host', 'content-length', 'expect', 'traceparent', 'tracestate', 'forwarded', 'x-real-ip'],
  // Credentials end at the gateway.
  ...SCHEMES.map(({ header }) => header.toLowerCase()),
  'set-cookie',
  // Rules go by the method: no framework in a service may replace it.
  ...['x-http-method-override', 'x-http-method', 'x-method-override'],
]);
const NOT_FORWARDED_PREFIX = /^(?:proxy|x-fleet|x-forwarded)-/;

/** The options for undici to send a client's request to a service; `collected`: its body if it was collected first. */
export function toDispatchOptions(
  upstream: Upstream,
  req: Request,
  locals: Express.Locals,
  collected: Buffer | undefined,
): Dispatcher.DispatchOptions {
  const headers = toUpstreamHeaders(req, locals, upstream);
  let body: Buffer | RequestBody | null = collected ?? null;
  if (!collected && bodyKind(req) === 'stream') {
    body = new RequestBody(req, upstream.maxBodyBytes);
    const length = req.headers['content-length'];
    if (length !== undefined) headers.push('content-length', length);
  }
  const timeoutMs = deadlineOf(upstream, req, locals);
  return {
    path: req.originalUrl,
    method: req.method,
    headers,
    body,
    blocking: false,
    // undici would close the connection after a HEAD, or a DELETE with a body: a flood of them would use up all local
    // ports.
    reset: false,
    headersTimeout: timeoutMs,
    bodyTimeout: acceptsEventStream(req.headers) ? 0 : timeoutMs,
  };
}

/** The time until the response headers and between parts of the body, in ms; few values let undici reuse its timer. */
export function deadlineOf(upstream: Upstream, req: Request, { route }: Express.Locals): number {
  return route && isWaiting(route, req) ? upstream.waitTimeoutMs : upstream.timeoutMs;
}

type BodyKind = 'none' | 'small' | 'stream';

/** A small body is collected before the dispatch, so that a slow client does not hold a connection to the service. */
export function bodyKind({ headers }: IncomingMessage): BodyKind {
  if (!hasBody(headers)) return 'none';
  const isChunked = headers['transfer-encoding'] !== undefined;
  return !isChunked && Number(headers['content-length']) <= SMALL_BODY_BYTES ? 'small' : 'stream';
}

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
  forwarded.push('x-forwarded-host', locals.clientHost ?? (headers.host as string));
  if (locals.caller) forwarded.push(...locals.caller.headers);
  if (internalToken !== undefined) forwarded.push(INTERNAL_TOKEN_HEADER, internalToken);
  return forwarded;
}

/** Some servers read `_` as `-`, so both spellings of a name are dropped. */
function isForwarded(sent: string): boolean {
  const name = sent.includes('_') ? sent.replaceAll('_', '-') : sent;
  return !NOT_FORWARDED.has(name) && !NOT_FORWARDED_PREFIX.test(name);
}

/** The headers that a `Connection` names, which concern that connection only. */
export function namedIn(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(connection.split(',').map((token) => token.trim().toLowerCase()));
}
