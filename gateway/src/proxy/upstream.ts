import type { Logger } from '@agent-fleet/shared/logger';
import type { Request } from 'express';
import type { Dispatcher } from 'undici';
import { acceptsEventStream } from './event-stream.ts';
import { toUpstreamHeaders } from './header-hygiene.ts';
import type { Replicas } from './replicas.ts';
import { bodyKind, RequestBody } from './request-body.ts';
import type { RetryBudget } from './retry-budget.ts';

/** The service that exchanges go to. */
export interface Upstream {
  /** As clients are told of it in errors. */
  name: string;
  /** `host[:port]` */
  host: string;
  internalToken: string | undefined;
  replicas: Replicas;
  retries: RetryBudget;
  /** Between parts of an answer's body. */
  timeoutMs: number;
  /** How long the client of an event stream may take nothing of it. */
  stalledMs: number;
  /** Event streams end as they begin. */
  endsStreams: boolean;
  logger: Logger;
}

/** A client's request as undici sends it to a service; `collected` is its body where that was waited for. */
export function toDispatchOptions(
  { host, internalToken }: Upstream,
  req: Request,
  principal: string | undefined,
  collected: Buffer | undefined,
): Dispatcher.DispatchOptions {
  const headers = toUpstreamHeaders(req, { host, internalToken, principal });
  let body: Buffer | RequestBody | null = collected ?? null;
  if (!collected && bodyKind(req) === 'stream') {
    body = new RequestBody(req);
    const length = req.headers['content-length'];
    if (length !== undefined) headers.push('content-length', length);
  }
  return {
    path: req.originalUrl,
    method: req.method,
    headers,
    body,
    blocking: false,
    // undici would close the connection after a HEAD, or a DELETE with a body: a flood of them would use up all local ports.
    reset: false,
    bodyTimeout: acceptsEventStream(req.headers) ? 0 : null,
  };
}
