import type { Logger } from '@agent-fleet/shared/logger';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/request-id';
import type { RequestHandler } from 'express';

const MAX_PATH_LENGTH = 200;
/** Load balancers ask several times a second. */
const PROBES = new Set(['/health', '/ready']);

/** One line a request, once its answer has ended or its client has gone; without query, which may hold anything. */
export function logAccess(logger: Logger): RequestHandler {
  if (!logger.isLevelEnabled('info')) return (_req, _res, next) => next();
  return (req, res, next) => {
    const startedAtMs = performance.now();
    const { method, originalUrl } = req;
    res.on('close', () => {
      const { route, principal } = res.locals;
      const level = route && PROBES.has(route.template) && res.statusCode === 200 ? 'debug' : 'info';
      logger[level](
        {
          request_id: req.headers[REQUEST_ID_HEADER],
          principal,
          method,
          route: route?.template,
          path: route ? undefined : pathOf(originalUrl),
          status: res.statusCode,
          aborted: res.writableFinished ? undefined : true,
          duration_ms: Math.round((performance.now() - startedAtMs) * 100) / 100,
          upstream: route?.upstream,
        },
        'request',
      );
    });
    next();
  };
}

function pathOf(url: string): string {
  return (url.split('?', 1)[0] as string).slice(0, MAX_PATH_LENGTH);
}
