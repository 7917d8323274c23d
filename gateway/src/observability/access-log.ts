import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { Refusal } from '@agent-fleet/shared/http/connections/refusal';
import type { HttpError } from '@agent-fleet/shared/http/errors';
import type { Logger } from '@agent-fleet/shared/logger';
import { traceIdOf } from '@agent-fleet/shared/trace-context';
import type { Response } from 'express';
import { clientAddressOf, toPlainAddress } from '../client-address.ts';
import { templateOf } from '../routing/routes.ts';
import type { GatewayLog } from './log-destination.ts';
import { type RequestObserver, toLoggedPath } from './observe-requests.ts';
import { rejectionOf } from './rejections.ts';

const MAX_PATH_LENGTH = 200;

/**
 * Writes one line per request, with the time of its end and without the query, which may hold secrets. The lines equal
 * those of the logger, which would take 4 % more processor time per request (measured).
 */
export function logAccess({ logger, service, destination }: GatewayLog): RequestObserver {
  return (requests) => {
    for (const { endedAtMs, durationMs, method, target, traceparent, status, aborted, locals } of requests) {
      const { requestId, route, caller, clientAddress, replica } = locals;
      const level = route?.isProbe && status === 200 ? 'debug' : 'info';
      if (!logger.isLevelEnabled(level)) continue;
      const rejection = rejectionOf(locals);
      const template = templateOf(locals);
      const line = {
        level,
        time: new Date(endedAtMs).toISOString(),
        service,
        method,
        route: template,
        upstream: route?.upstream,
        path: template === undefined ? pathOf(target) : undefined,
        request_id: requestId,
        trace_id: traceparent && traceIdOf(traceparent),
        principal: caller?.principal,
        client: clientAddress,
        replica,
        status,
        duration_ms: Math.round(durationMs * 100) / 100,
        error: rejection?.error,
        rejected_by: rejection?.rejectedBy,
        aborted: aborted || undefined,
        msg: 'request',
      };
      destination.write(`${JSON.stringify(line)}\n`);
    }
  };
}

/** Logs requests that are refused for overload, before they have a route, a principal or a trace. */
export function logShedRequest(access: RequestObserver, trustedProxies: BlockList) {
  return (req: IncomingMessage, requestId: string, error: HttpError): void => {
    access([
      {
        endedAtMs: Date.now(),
        durationMs: 0,
        method: req.method as string,
        target: req.url as string,
        traceparent: undefined,
        status: error.status,
        aborted: false,
        locals: { requestId, clientAddress: clientAddressOf(req, trustedProxies), error },
      },
    ]);
  };
}

/** Logs what the server refuses before it is a request, or before it has been read to its end. */
export function logParserRefusal(logger: Logger) {
  return ({ socket, requestId, error, begun }: Refusal): void => {
    const locals = (begun as Response | undefined)?.locals;
    // A request that had begun has a line of its own.
    if (locals) locals.error = error;
    else {
      const client = toPlainAddress(socket.remoteAddress ?? '');
      const { error: code, rejectedBy } = rejectionOf({ error }) ?? {};
      logger.info(
        { request_id: requestId, client, status: error.status, error: code, rejected_by: rejectedBy },
        'request',
      );
    }
  };
}

function pathOf(url: string): string {
  return toLoggedPath(url).slice(0, MAX_PATH_LENGTH);
}
