import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from '@agent-fleet/shared/logger';
import type { Request } from 'express';
import type { Dispatcher } from 'undici';
import type { ChangeFollower } from '../auth/credentials/change-follower.ts';
import { toUpstreamHeaders } from './header-hygiene.ts';
import type { Replicas } from './replicas/replicas.ts';
import { bodyKind, RequestBody } from './request-body.ts';
import type { RetryBudget } from './retry-budget.ts';

/** Server-Sent Events (HTML standard, section 9.2). A stream may last indefinitely and may be silent for long. */
const EVENT_STREAM = 'text/event-stream';

/** The service that exchanges go to. */
export interface Upstream {
  /** Its name in error messages. */
  name: string;
  /** Those of credentials. */
  changes: Pick<ChangeFollower, 'position'>;
  /** `host[:port]` */
  host: string;
  internalToken: string | undefined;
  replicas: Replicas;
  retries: RetryBudget;
  /** Deadline for routes without one of their own. */
  timeoutMs: number;
  /** How long a client may read nothing of a response. */
  stalledMs: number;
  /** New event streams end at once. */
  endsStreams: boolean;
  logger: Logger;
}

/** The options for undici to send a client's request to a service; `collected`: its body if it was collected first. */
export function toDispatchOptions(
  upstream: Upstream,
  req: Request,
  locals: Express.Locals,
  collected: Buffer | undefined,
): Dispatcher.DispatchOptions {
  const headers = toUpstreamHeaders(req, locals, upstream);
  let body: Buffer | RequestBody | null = collected ?? null;
  if (!collected && bodyKind(req) === 'stream') {
    body = new RequestBody(req, locals.maxBodyBytes);
    const length = req.headers['content-length'];
    if (length !== undefined) headers.push('content-length', length);
  }
  const timeoutMs = deadlineOf(upstream, req, locals);
  return {
    path: req.originalUrl,
    method: req.method,
    headers,
    body,
    blocking: false,
    // undici would close the connection after a HEAD, or a DELETE with a body: a flood of them would use up all local
    // ports.
    reset: false,
    headersTimeout: timeoutMs,
    bodyTimeout: acceptsEventStream(req.headers) ? 0 : timeoutMs,
  };
}

/** The time until the response headers and between parts of the body, in ms; one value lets undici reuse one timer. */
export function deadlineOf({ timeoutMs }: Upstream, { method }: Request, { route }: Express.Locals): number {
  const deadline = route?.deadline;
  return !deadline || deadline.waiting.includes(method) ? timeoutMs : deadline.responseTimeoutMs;
}

/** Whether a client accepts an event stream. */
export function acceptsEventStream({ accept }: IncomingHttpHeaders): boolean {
  return accept?.includes(EVENT_STREAM) ?? false;
}

/** Whether a response is an event stream. */
export function isEventStream({ 'content-type': type }: IncomingHttpHeaders): boolean {
  return type?.startsWith(EVENT_STREAM) ?? false;
}
