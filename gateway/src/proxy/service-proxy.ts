import { overloaded, tooLarge } from '@agent-fleet/shared/http/errors';
import type { Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import type { ChangeFollower } from '../auth/credentials/change-follower.ts';
import type { UpstreamName } from '../routing/routes.ts';
import { Exchange } from './exchange.ts';
import type { Replica } from './replicas/replica.ts';
import { Replicas, type ReplicasOptions } from './replicas/replicas.ts';
import { RetryBudget } from './retry-budget.ts';
import type { Upstream } from './upstream.ts';

export interface ServiceProxyOptions extends ReplicasOptions {
  /** Its name in error messages. */
  name: string;
  /** Those of credentials. */
  changes: Pick<ChangeFollower, 'position'>;
  /** The deadline of requests that wait. Default: `timeoutMs`. */
  waitTimeoutMs?: number;
  /** Maximum body of a request of unknown length. Default: no limit. */
  maxBodyBytes?: number;
  /** How long a client may read nothing of a response before its connection is closed. Default: 30,000. */
  stalledMs?: number;
}

const DEFAULT_STALLED_MS = 30_000;

export type ServiceProxy = ReturnType<typeof createServiceProxy>;

/** Never connected to: `undiciTransport` connects to replicas. A reserved name (RFC 2606) exposes its absence. */
const NO_TARGET = { protocol: 'http:', host: 'transport.invalid', port: 80 };

/**
 * One http-proxy-middleware over undici pools, one for each replica of the service. The middleware does no more than to
 * call our transport, `Exchange`, and to pass its errors on.
 */
export function createServiceProxy(options: ServiceProxyOptions) {
  const logger = options.logger.child({ upstream: options.name });
  const replicas = new Replicas({ ...options, logger }, moveRequestsFrom);
  const { name, changes, internalToken, timeoutMs, waitTimeoutMs = timeoutMs } = options;
  const { maxBodyBytes = Number.POSITIVE_INFINITY, stalledMs = DEFAULT_STALLED_MS } = options;
  const upstream: Upstream = {
    ...{ name, changes, internalToken, timeoutMs, waitTimeoutMs, maxBodyBytes, stalledMs, replicas, logger },
    host: new URL(options.url).host,
    retries: new RetryBudget(),
    endsStreams: false,
  };
  const exchanges = () => replicas.handlers().filter((handler) => handler instanceof Exchange);
  const handler: RequestHandler = createProxyMiddleware<Request, Response>({
    target: NO_TARGET,
    ejectPlugins: true,
    plugins: [undiciTransport(upstream)],
  });
  return {
    /** Forwards `req.originalUrl`, on behalf of `res.locals.caller` if any; 502, 503 and 504 go to `next`. */
    handler,
    /** Ends open event streams, and later ones as soon as they start. */
    endStreams(): void {
      upstream.endsStreams = true;
      for (const exchange of exchanges()) exchange.endStream();
    },
    /** Ends event streams and waits of principals that depend on a changed record, such as `user:<id>`. */
    endFor(changed: string): void {
      for (const exchange of exchanges()) exchange.endFor(changed);
    },
    /** Ends event streams of principals that depend on records, when changes of these may have been missed. */
    endUnverified(): void {
      for (const exchange of exchanges()) exchange.endUnverified();
    },
    /** Responds with 503 to requests that wait for the service's response. */
    refuseWaiting(): void {
      for (const exchange of exchanges()) exchange.refuse();
    },
    states: () => replicas.states(),
    /** Counters since the start, and all replicas, including removed ones with requests in flight. */
    figures: () => ({
      replicas: replicas.all(),
      states: replicas.states(),
      retries: upstream.retries.retries,
    }),
    /** `ok`, or why no replica is ready; within about a second. */
    ready: () => replicas.ready(),
    close: () => replicas.close(),
  };
}

/**
 * A plugin of http-proxy-middleware that replaces its transport, `node:http.request`, by undici clients: the former
 * serves half as many requests and forwards hop-by-hop headers. Errors that need a response go to Express's `next`.
 */
function undiciTransport(upstream: Upstream): Plugin<Request, Response> {
  return (proxyServer) => {
    proxyServer.web = (req, res) =>
      new Promise((resolve, reject) => {
        new Exchange(upstream, req, res, (error) => (error ? reject(error) : resolve())).start();
      });
    // The middleware also emits each error here; without a listener, Node would throw it.
    proxyServer.on('error', () => {});
  };
}

/** Moves repeatable requests in flight from a replica that hangs to another one. */
function moveRequestsFrom(replica: Replica): void {
  for (const handler of replica.connections.handlers()) {
    if (handler instanceof Exchange) handler.moveFrom(replica);
  }
}

interface ForwardLimits {
  /** Requests in flight, at all services. */
  maxInFlight: number;
  /** As declared; a body of unknown length is counted while it is forwarded. */
  maxBodyBytes: number;
}

/**
 * Forwards requests to the services of their routes; others go to the next handler.
 * @throws 503 `overloaded`, 413 `payload_too_large`
 */
export function forwardRequests(
  upstreams: Record<UpstreamName, Pick<ServiceProxy, 'handler'>>,
  { maxInFlight, maxBodyBytes }: ForwardLimits,
): RequestHandler {
  let inFlight = 0;
  const leave = () => {
    inFlight--;
  };
  return (req, res, next) => {
    const { upstream } = res.locals.route ?? {};
    if (upstream === undefined) return next();
    if (inFlight >= maxInFlight) throw overloaded('Too many requests in flight; try again');
    const length = req.headers['content-length'];
    if (length !== undefined && Number(length) > maxBodyBytes) throw tooLarge(maxBodyBytes);
    inFlight++;
    res.on('close', leave);
    return upstreams[upstream].handler(req, res, next);
  };
}
