import type { IncomingMessage } from 'node:http';
import { type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import type { RequestHandler } from 'express';
import { setOn } from './response-headers.ts';

const ALLOWED = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';

/**
 * Origin form (RFC 9112 section 3.2.1) in a single spelling: no dot segment, with or without parameters (`..;`), no
 * encoded `/`, `\` or control character, no `\` in the path and no `#`. A `%` that is not an escape and an empty
 * segment are allowed: no route matches them.
 */
const CANONICAL_TARGET =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern excludes control characters
  /^(?:\/(?!(?:\.|%2e){1,2}(?:[/?;]|%3b|$))[^\x00-\x20\x7f%\\#/?]*(?:%(?!2f|5c|[01][0-9a-f]|7f)[^\x00-\x20\x7f%\\#/?]*)*)+(?:\?[^\x00-\x20\x7f#]*)?$/i;

/** `host[:port]` with a name, an IPv4 or a bracketed IPv6 address; no user, path or space. */
const HOST = /^(?:[\w.~-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;
const MAX_PORT = 65_535;

/** Far more header lines than any client sends; 64 KiB has room for thousands. */
const MAX_HEADERS = 200;
/** Longer than browsers and other proxies accept. */
const MAX_TARGET_LENGTH = 16 * 1024;

/**
 * Accepts only requests whose target, `Host` and framing mean the same to every server; runs before routing and
 * authentication. Responds to `OPTIONS *` itself.
 * @throws 400 `validation_error`, 414 `uri_too_long`, 431 `headers_too_large` for more than 200 header lines
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
    setOn(res);
    res.setHeader('allow', ALLOWED);
    res.status(204).end();
  } else {
    throw refused('malformed_target', 'The request target is not a plain path with an optional query');
  }
};

function requireFewHeaders({ rawHeaders }: IncomingMessage): void {
  if (rawHeaders.length <= MAX_HEADERS * 2) return;
  throw httpError('headers_too_large', `The request has more than ${MAX_HEADERS} header lines`);
}

/** RFC 9112 section 3.2: one `Host`, or 400. Node drops all but the first from `req.headers`, hence `rawHeaders`. */
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

/** RFC 9112 section 6.1: an unknown coding ends the connection; HTTP/1.0 has no transfer coding. */
function requireKnownFraming({ headers, httpVersion }: IncomingMessage): void {
  // Node also accepts 0.9 and 2.0 in the request line.
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
