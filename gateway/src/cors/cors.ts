import cors from 'cors';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { SCHEMES } from '../auth/schemes/schemes.ts';
import { sendAllowed } from '../response-headers.ts';
import type { AllowedMethods } from '../routing/allowed-methods.ts';
import { UPSTREAM_ROUTES } from '../routing/routes.ts';

const PREFLIGHT_SECONDS = 86_400;
const REQUEST_HEADERS = [
  ...SCHEMES.map(({ header }) => header),
  ...['Content-Type', 'If-Match', 'If-None-Match', 'Idempotency-Key', 'Last-Event-ID'],
  ...['X-Lease-Token', 'X-Request-Id', 'traceparent', 'tracestate'],
];
/** As the registry itself: it ignores credentials, so that a page may send them everywhere. */
const ANY_REQUEST_HEADER = ['*', 'Authorization'];
const ANSWER_HEADERS = 'ETag, Link, Location, X-Total-Count, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy';
/** What the registry exposes, and what the gateway's errors have beside. */
const OPEN_ANSWER_HEADERS = 'ETag, Link, X-Total-Count, X-Request-Id, Age, Retry-After, RateLimit, RateLimit-Policy';
const OPEN_PREFIXES = UPSTREAM_ROUTES.filter(({ access }) => access === 'public').map(({ prefix }) => prefix);

declare global {
  namespace Express {
    interface Locals {
      /** The response's CORS headers depend on the request's `Origin`. */
      variesByOrigin?: boolean;
    }
  }
}

/** What a page of another origin may read. A request without `Origin` costs one look-up. */
export interface Cors {
  /** Sets the headers of whatever answers a request of a known origin; goes first, so that errors have them too. */
  setOriginHeaders: RequestHandler;
  /** Answers a preflight of a known origin 204, as it comes without credentials; goes after routing. */
  answerPreflight: RequestHandler;
  /** Opens the gateway's own errors on the registry's paths, whose service opens its answers itself. */
  openErrors: ErrorRequestHandler;
}

/** The registry is open to any origin, the rest to `origins`; credentials are headers that a page sets itself, so cookies never count. */
export function createCors(origins: readonly string[]): Cors {
  const isAny = origins.includes('*');
  const known = new Set(origins);
  const knows = (origin: string | undefined) => origin !== undefined && (isAny || known.has(origin));
  const preflightOf = createPreflights(isAny);
  return {
    setOriginHeaders(req, res, next) {
      const { origin } = req.headers;
      if (origins.length === 0 || isOpen(req.url)) return next();
      // Caches have to know it from a response to a request without `Origin`, too.
      if (!isAny) res.locals.variesByOrigin = true;
      if (isAny) allow(res, '*', ANSWER_HEADERS);
      else if (origin !== undefined && known.has(origin)) allow(res, origin, ANSWER_HEADERS);
      next();
    },
    answerPreflight(req, res, next) {
      if (req.method !== 'OPTIONS') return next();
      const open = isOpen(req.url);
      if (open) allow(res, '*', OPEN_ANSWER_HEADERS);
      const { methods } = res.locals.route ?? {};
      const isPreflight = req.headers['access-control-request-method'] !== undefined;
      if (!isPreflight || !methods || !(open || knows(req.headers.origin))) return next();
      preflightOf(methods, open)(req, res, () => {
        sendAllowed(res, methods.allow);
      });
    },
    openErrors(error, req, res, next) {
      if (!res.headersSent && isOpen(req.url)) allow(res, '*', OPEN_ANSWER_HEADERS);
      next(error);
    },
  };
}

/** One for each path that was asked for, of the registry or of the rest; it goes with the document that described the path. */
function createPreflights(isAny: boolean): (methods: AllowedMethods, isOpen: boolean) => RequestHandler {
  const preflights = new WeakMap<AllowedMethods, RequestHandler>();
  return (methods, isOpen) => {
    const made = preflights.get(methods);
    if (made) return made;
    const preflight = cors({
      origin: isOpen || isAny ? '*' : true,
      methods: methods.allow,
      allowedHeaders: isOpen ? ANY_REQUEST_HEADER : REQUEST_HEADERS,
      maxAge: PREFLIGHT_SECONDS,
      preflightContinue: true,
    });
    preflights.set(methods, preflight);
    return preflight;
  };
}

function allow(res: Response, origin: string, exposed: string): void {
  res.setHeader('access-control-allow-origin', origin);
  res.setHeader('access-control-expose-headers', exposed);
}

function isOpen(url: string): boolean {
  return OPEN_PREFIXES.some((prefix) => url.startsWith(prefix));
}
