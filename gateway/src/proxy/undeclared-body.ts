import { hasBody } from '@agent-fleet/shared/http/serve';
import type { RequestHandler } from 'express';

/**
 * Forwards a request without its body where the API document declares none for the operation. Until the service's
 * document has been fetched, every body is forwarded.
 */
export const ignoreUndeclaredBody: RequestHandler = (req, res, next) => {
  const { methodsWithBody } = res.locals.route ?? {};
  if (hasBody(req.headers) && methodsWithBody?.has(req.method) === false) {
    delete req.headers['content-length'];
    delete req.headers['transfer-encoding'];
  }
  next();
};
