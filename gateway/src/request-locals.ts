import type { Principal } from './auth/schemes/principal.ts';
import type { Rejection, Stage } from './observability/rejections.ts';
import type { Grant } from './rate-limits/rate-limiter.ts';
import type { Route } from './routing/route-table.ts';
import type { SpanStart } from './tracing/span-start.ts';

declare global {
  namespace Express {
    /** What the handlers find out about a request, for later handlers and the access log. */
    interface Locals {
      /** The stage that the request has reached. */
      stage?: Stage;
      /** Why a service refused the request, or the gateway is not ready. */
      serviceRejection?: Rejection | undefined;
      /** Set when the request's span is exported. */
      span?: SpanStart;
      /** The client's IP address; `X-Forwarded-For` counts only from trusted proxies. */
      clientAddress?: string;
      /** The client's protocol, as reported by a trusted proxy. */
      clientProtocol?: 'http' | 'https';
      route?: Route;
      /** The response's CORS headers depend on the request's `Origin`. */
      variesByOrigin?: boolean;
      /** Who sent the request, and what it may do. */
      caller?: Principal;
      /** The position in the changes of credentials at which the caller was verified. */
      changesSeen?: number;
      /** The name of the caller, unique among all, for limits and logs. */
      principal?: string;
      /** State of the limit that the request counted for. */
      rateLimit?: Grant;
      /** Limit of a request body whose length is unknown until its end. */
      maxBodyBytes?: number;
      /** Address of the replica that the request was last sent to. */
      replica?: string;
      /** The response is an event stream: it lasts until the client closes it. */
      isEventStream?: boolean;
    }
  }
}

export type RequestLocals = Express.Locals;
