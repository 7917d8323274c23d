import type { IncomingMessage } from 'node:http';
import { type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import type { RequestHandler } from 'express';
import { sendAllowed } from '../response-headers.ts';

const ALLOWED = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';

/**
 * Origin form (RFC 9112 section 3.2.1), in its only spelling: no dot segment (nor one with parameters behind, `..;`), no encoded `/`, `\` or control character, no `\` in the
 * path and no `#` at all. A `%` that is no escape stands for itself, as does an empty segment: both lead to nothing that is there.
 */
const CANONICAL_TARGET =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it keeps out
  /^(?:\/(?!(?:\.|%2e){1,2}(?:[/?;]|%3b|$))[^\x00-\x20\x7f%\\#/?]*(?:%(?!2f|5c|[01][0-9a-f]|7f)[^\x00-\x20\x7f%\\#/?]*)*)+(?:\?[^\x00-\x20\x7f#]*)?$/i;

/** `host[:port]` with a name, an IPv4 or a bracketed IPv6 address: no user, no path, no blank. */
const HOST = /^(?:[\w.~-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;
const MAX_PORT = 65_535;

/** Header lines, far more than any client sends: thousands of them fit into 64 KiB. */
const MAX_HEADERS = 200;
/** Longer than what browsers and proxies on the way take. */
const MAX_TARGET_LENGTH = 16 * 1024;

/**
 * Lets only requests pass whose target, `Host` and framing have one meaning to every server on their way; goes before routing and
 * authentication. Throws 400 `validation_error`, 414 `uri_too_long`, and 431 `headers_too_large` for more than 200 header lines; answers `OPTIONS *`
 * itself.
 */
export const requireCanonicalTarget: RequestHandler = (req, res, next) => {
  requireFewHeaders(req);
  requireOneHost(req);
  requireKnownFraming(req);
  const target = req.originalUrl;
  if (target.length > MAX_TARGET_LENGTH) {
    throw httpError('uri_too_long', `The request target is longer than ${MAX_TARGET_LENGTH} bytes`);
  }
  if (CANONICAL_TARGET.test(target)) {
    next();
  } else if (target === '*' && req.method === 'OPTIONS') {
    sendAllowed(res, ALLOWED);
  } else {
    throw refused('malformed_target', 'The request target is not a plain path with an optional query');
  }
};

/** A service would echo the headers that only services may see. @throws 405 for TRACE */
export const refuseTrace: RequestHandler = (req, _res, next) => {
  if (req.method !== 'TRACE') return next();
  throw httpError('method_not_allowed', 'TRACE is not served', { headers: { allow: ALLOWED } });
};

function requireFewHeaders({ rawHeaders }: IncomingMessage): void {
  if (rawHeaders.length <= MAX_HEADERS * 2) return;
  throw httpError('headers_too_large', `The request has more than ${MAX_HEADERS} header lines`);
}

/** RFC 9112 section 3.2: one `Host`, or 400. Node keeps the first of several in `req.headers`, so the raw list is asked. */
function requireOneHost(req: IncomingMessage): void {
  const { rawHeaders } = req;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  const match = hosts === 1 && HOST.exec(req.headers.host as string);
  if (!match || Number(match[1] ?? 0) > MAX_PORT) {
    throw refused('malformed_host', 'The request must have exactly one Host header, of the form host[:port]');
  }
}

/** RFC 9112 section 6.1: what we cannot decode we do not forward, nor read on after it; HTTP/1.0 knows no transfer coding. */
function requireKnownFraming({ headers, httpVersion }: IncomingMessage): void {
  // Node takes 0.9 and 2.0 for versions of the same syntax.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw refused('malformed_request', 'The request is neither HTTP/1.1 nor HTTP/1.0', { connection: 'close' });
  }
  const coding = headers['transfer-encoding'];
  if (coding === undefined || (coding.toLowerCase() === 'chunked' && httpVersion === '1.1')) return;
  throw refused('malformed_request', 'The only transfer coding is chunked, in HTTP/1.1', { connection: 'close' });
}

function refused(code: string, message: string, headers?: Record<string, string>): HttpError {
  return httpError('validation_error', message, { fields: [{ path: '', code, message }], headers });
}
