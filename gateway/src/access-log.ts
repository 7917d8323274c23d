import type { Logger } from '@agent-fleet/shared/logger';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/request-id';
import type { RequestObserver } from './observe-requests.ts';

const MAX_PATH_LENGTH = 200;
/** Load balancers ask several times a second. */
const PROBES = new Set(['/health', '/ready']);

/** One line a request; without query, which may hold anything. */
export function logAccess(logger: Logger): RequestObserver {
  // What lines of one route and method have in common is written once: a child logger keeps it as text.
  const loggers = new Map<string, Logger>();

  function loggerOf(method: string, route: string, upstream: string | undefined): Logger {
    const key = `${method} ${route}`;
    const known = loggers.get(key);
    if (known) return known;
    const child = logger.child({ method, route, upstream });
    loggers.set(key, child);
    return child;
  }

  return (req, res, durationMs) => {
    const { route, principal } = res.locals;
    const level = route && PROBES.has(route.template) && res.statusCode === 200 ? 'debug' : 'info';
    if (!logger.isLevelEnabled(level)) return;
    const line: Record<string, unknown> = {
      request_id: req.headers[REQUEST_ID_HEADER],
      principal,
      status: res.statusCode,
      duration_ms: Math.round(durationMs * 100) / 100,
      aborted: res.writableFinished ? undefined : true,
    };
    if (route) loggerOf(req.method, route.template, route.upstream)[level](line, 'request');
    else logger[level]({ ...line, method: req.method, path: pathOf(req.originalUrl) }, 'request');
  };
}

function pathOf(url: string): string {
  return (url.split('?', 1)[0] as string).slice(0, MAX_PATH_LENGTH);
}
