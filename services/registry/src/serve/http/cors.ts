import type { RequestHandler } from 'express';

const EXPOSED = 'ETag, Link, X-Total-Count, X-Request-Id, Age, Repr-Digest, X-Digest-Mismatch';
/** Allows `Authorization` for web pages that send it everywhere; the registry ignores it. */
const ALLOWED_HEADERS = '*, Authorization';
const PREFLIGHT_SECONDS = 86_400;

/** Any web page may read the registry; it is public. */
export const allowAnyOrigin: RequestHandler = (req, res, next) => {
  res.setHeader('access-control-allow-origin', '*');
  res.setHeader('access-control-expose-headers', EXPOSED);
  if (req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined) {
    res.setHeader('access-control-allow-methods', 'GET, HEAD, OPTIONS');
    res.setHeader('access-control-allow-headers', ALLOWED_HEADERS);
    res.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
  }
  next();
};
