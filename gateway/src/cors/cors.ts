import type { IncomingMessage } from 'node:http';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { SCHEMES } from '../auth/schemes/schemes.ts';
import { setOn } from '../response-headers.ts';
import { SERVICE_PATHS } from '../routing/routes.ts';

const PREFLIGHT_SECONDS = 86_400;
/** Which of them a path has is up to its service. */
const METHODS = 'GET, HEAD, POST, PUT, DELETE';
const REQUEST_HEADERS = [
  ...SCHEMES.filter(({ isFallback }) => !isFallback).map(({ header }) => header),
  ...['Content-Type', 'If-Match', 'If-None-Match', 'Idempotency-Key', 'Last-Event-ID'],
  ...['X-Lease-Token', 'X-Request-Id', 'traceparent', 'tracestate'],
].join(',');
const EXPOSED_HEADERS =
  'ETag, Link, Location, X-Total-Count, X-Request-Id, Idempotency-Replayed, Retry-After, RateLimit, RateLimit-Policy';
/** What the registry exposes, plus the headers of the gateway's errors. */
const OPEN_EXPOSED_HEADERS = 'ETag, Link, X-Total-Count, X-Request-Id, Age, Retry-After, RateLimit, RateLimit-Policy';
const OPEN_PREFIXES = SERVICE_PATHS.filter(({ isOpen }) => isOpen).map(({ prefix }) => prefix);

/** The registry is open to any origin, the rest to `origins`; credentials are explicit headers, never cookies. */
export function createCors(origins: readonly string[]) {
  const isAny = origins.includes('*');
  const allowed = new Set(origins);
  const isAllowed = (origin: string | undefined) => origin !== undefined && (isAny || allowed.has(origin));
  /** `Access-Control-Allow-Origin`, unless the registry decides. */
  const originFor = ({ headers: { origin } }: IncomingMessage) => {
    if (isAny) return '*';
    return isAllowed(origin) ? origin : undefined;
  };
  /** Sets the headers of every response to an allowed origin; runs first, so that errors have them too. */
  const setOriginHeaders: RequestHandler = (req, res, next) => {
    if (isOpen(req.url)) return next();
    // Caches need `Vary: Origin` on responses to requests without `Origin`, too.
    if (!isAny) res.locals.variesByOrigin = true;
    const origin = originFor(req);
    if (origin !== undefined) allow(res, origin, EXPOSED_HEADERS);
    next();
  };
  /**
   * Responds with 204 to preflights of an allowed origin, which have no credentials; runs after routing. The registry
   * responds to its own.
   */
  const answerPreflight: RequestHandler = (req, res, next) => {
    const isPreflight = req.headers['access-control-request-method'] !== undefined;
    if (!isPreflight || !isAllowed(req.headers.origin) || isOpen(req.url)) return next();
    setOn(res);
    res.setHeader('access-control-allow-methods', METHODS);
    res.setHeader('access-control-allow-headers', REQUEST_HEADERS);
    res.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
    res.status(204).end();
  };
  /** Opens the gateway's own errors on the registry's paths; the registry opens its responses itself. */
  const openErrors: ErrorRequestHandler = (error, req, res, next) => {
    if (!res.headersSent && isOpen(req.url)) allow(res, '*', OPEN_EXPOSED_HEADERS);
    next(error);
  };
  /** The headers of an error before Express has the request, names and values in turn. */
  const errorHeaders = (req: IncomingMessage): string[] => {
    const open = isOpen(req.url ?? '');
    const vary = open || isAny || origins.length === 0 ? [] : ['vary', 'Origin'];
    const origin = open ? '*' : originFor(req);
    if (origin === undefined) return vary;
    const exposed = open ? OPEN_EXPOSED_HEADERS : EXPOSED_HEADERS;
    return [...vary, 'access-control-allow-origin', origin, 'access-control-expose-headers', exposed];
  };
  return {
    /** None without origins. */
    originHandlers: origins.length > 0 ? [setOriginHeaders] : [],
    answerPreflight,
    openErrors,
    errorHeaders,
  };
}

function allow(res: Response, origin: string, exposed: string): void {
  res.setHeader('access-control-allow-origin', origin);
  res.setHeader('access-control-expose-headers', exposed);
}

function isOpen(url: string): boolean {
  return OPEN_PREFIXES.some((prefix) => url.startsWith(prefix));
}
