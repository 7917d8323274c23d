import type { IncomingHttpHeaders } from 'node:http';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { SCHEMES } from './auth/schemes/schemes.ts';
import { pushRateLimitHeaders } from './rate-limits/rate-limits.ts';

/** Keeps browsers from guessing that a response is a page or a script. */
const SNIFFING_HEADER = 'x-content-type-options';

/** Headers that only the gateway sets. */
export const COMMON_HEADERS: readonly string[] = [REQUEST_ID_HEADER, SNIFFING_HEADER];

/**
 * The headers of every response, names and values in turn: proxied ones, the gateway's own, and errors written to a
 * bare socket. Rate limit headers are included when the request counted towards a limit.
 */
export function commonHeaders({ requestId, rateLimit }: Pick<Express.Locals, 'requestId' | 'rateLimit'>): string[] {
  const headers = [REQUEST_ID_HEADER, requestId, SNIFFING_HEADER, 'nosniff'];
  if (rateLimit) pushRateLimitHeaders(headers, rateLimit);
  return headers;
}

declare global {
  namespace Express {
    interface Locals {
      /** The response's CORS headers depend on the request's `Origin`. */
      variesByOrigin?: boolean;
    }
  }
}

const CREDENTIAL_HEADERS = SCHEMES.map(({ header }) => header.toLowerCase());

/**
 * `Cache-Control` for a response that has none: nothing about tokens is ever stored, and shared caches store no
 * response that needs credentials or was requested with some. Undefined for other public responses.
 */
function defaultCacheControl(
  requestHeaders: IncomingHttpHeaders,
  { route }: Pick<Express.Locals, 'route'>,
): string | undefined {
  // What the public paths of identity get and answer are secrets; its errors too, also those of the gateway.
  if (route?.upstream === 'identity' && route.access === 'public') return 'no-store';
  const isGuarded = route !== undefined && route.access !== 'public';
  if (isGuarded || CREDENTIAL_HEADERS.some((name) => requestHeaders[name] !== undefined)) return 'private, no-cache';
  return undefined;
}

/**
 * The common headers of a response to a request with these headers, with a default `Cache-Control`, and with `Origin`
 * in `Vary` where responses differ by it. `own`: the headers that a service has set.
 */
export function responseHeaders(
  requestHeaders: IncomingHttpHeaders,
  locals: Express.Locals,
  own: IncomingHttpHeaders = {},
): string[] {
  const headers = commonHeaders(locals);
  const cacheControl = own['cache-control'] === undefined ? defaultCacheControl(requestHeaders, locals) : undefined;
  if (cacheControl !== undefined) headers.push('cache-control', cacheControl);
  if (locals.variesByOrigin) headers.push('vary', own.vary ? `${own.vary}, Origin` : 'Origin');
  return headers;
}

/** Sets the common headers on a response of the gateway itself. */
export const setCommonHeaders: RequestHandler = (_req, res, next) => {
  setOn(res);
  next();
};

/** Sets the common headers on an error response. */
export const setCommonHeadersOnError: ErrorRequestHandler = (error, _req, res, next) => {
  if (!res.headersSent) setOn(res);
  next(error);
};

/** Sets the common headers on a response. */
export function setOn(res: Response): void {
  const headers = responseHeaders(res.req.headers, res.locals);
  for (let at = 0; at < headers.length; at += 2) res.setHeader(headers[at] as string, headers[at + 1] as string);
}
