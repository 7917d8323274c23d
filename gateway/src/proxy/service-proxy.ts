import type { Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { Exchange } from './exchange.ts';
import type { Replica, ReplicaState } from './replicas/replica.ts';
import { Replicas, type ReplicasOptions } from './replicas/replicas.ts';
import { RetryBudget } from './retry-budget.ts';
import { undiciTransport } from './undici-transport.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamFigures } from './upstream-metrics.ts';

export interface ServiceProxyOptions extends ReplicasOptions {
  /** Its name in error messages. */
  name: string;
  /** How long a client may read nothing of a response before its connection is closed. Default: 30,000. */
  stalledMs?: number;
}

const DEFAULT_STALLED_MS = 30_000;

export interface ServiceProxy {
  /**
   * Forwards `req.originalUrl`, on behalf of `res.locals.principal` where there is one; 502, 503 and 504 go to `next`.
   */
  handler: RequestHandler;
  /** Ends open event streams, and later ones as soon as they start. */
  endStreams(): void;
  /** Responds with 503 to requests that wait for the service's response. */
  refuseWaiting(): void;
  states(): ReplicaState[];
  figures(): UpstreamFigures;
  /** `ok`, or why no replica is ready; within about a second. */
  ready(): Promise<string>;
  close(): Promise<void>;
}

/**
 * Never connected to: `undiciTransport` connects to replicas. A reserved name (RFC 2606) exposes a missing transport.
 */
const NO_TARGET = { protocol: 'http:', host: 'transport.invalid', port: 80 };

/** One http-proxy-middleware over undici pools, one for each replica of the service. */
export function createServiceProxy(options: ServiceProxyOptions): ServiceProxy {
  const logger = options.logger.child({ upstream: options.name });
  const replicas = new Replicas({ ...options, logger }, { onHang: relieve });
  const { host } = new URL(options.url);
  const { name, internalToken, timeoutMs, stalledMs = DEFAULT_STALLED_MS } = options;
  const upstream: Upstream = {
    name,
    host,
    internalToken,
    replicas,
    retries: new RetryBudget(),
    timeoutMs,
    stalledMs,
    endsStreams: false,
    logger,
  };
  const { retries } = upstream;
  const exchanges = () => replicas.handlers().filter((handler) => handler instanceof Exchange);
  return {
    handler: createProxyMiddleware<Request, Response>({
      target: NO_TARGET,
      ejectPlugins: true,
      plugins: [undiciTransport(upstream)],
    }),
    endStreams() {
      upstream.endsStreams = true;
      for (const exchange of exchanges()) exchange.endStream();
    },
    refuseWaiting() {
      for (const exchange of exchanges()) exchange.refuse();
    },
    states: () => replicas.states(),
    figures: () => ({
      replicas: replicas.all(),
      states: replicas.states(),
      retries: retries.retries,
      ejections: replicas.ejections,
    }),
    ready: () => replicas.ready(),
    close: () => replicas.close(),
  };
}

/** Moves repeatable requests in flight from a replica that hangs to another one. */
function relieve(replica: Replica): void {
  for (const handler of replica.connections.handlers()) {
    if (handler instanceof Exchange) handler.moveFrom(replica);
  }
}
