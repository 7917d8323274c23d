import { type Logger, logAt } from '@agent-fleet/shared/logger';
import { type EndedRequest, isProbe, type RequestObserver } from './observe-requests.ts';
import { traceIdOf } from './tracing/trace-context.ts';

const MAX_PATH_LENGTH = 200;

/** One line a request, of the time when it ended; without query, which may hold anything. */
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

  function log(request: EndedRequest): void {
    const { id, method, target, route, principal, clientAddress, replica, status, durationMs, aborted } = request;
    const level = isProbe(route) && status === 200 ? 'debug' : 'info';
    if (!logger.isLevelEnabled(level)) return;
    const line: Record<string, unknown> = {
      request_id: id,
      trace_id: traceIdOf(request.traceparent),
      principal,
      client: clientAddress,
      replica,
      status,
      duration_ms: Math.round(durationMs * 100) / 100,
      aborted: aborted || undefined,
    };
    if (route) loggerOf(method, route.template, route.upstream)[level](line, 'request');
    else logger[level]({ ...line, method, path: pathOf(target) }, 'request');
  }

  return (requests) => {
    for (const request of requests) logAt(request.endedAtMs, () => log(request));
  };
}

function pathOf(url: string): string {
  return (url.split('?', 1)[0] as string).slice(0, MAX_PATH_LENGTH);
}
