import type { Logger } from '@agent-fleet/shared/logger';
import type { Registry } from 'prom-client';
import type { ChangeFollower } from '../auth/credentials/change-follower.ts';
import { UPSTREAM_NAMES, UPSTREAMS, type UpstreamName } from '../routing/routes.ts';
import { createServiceProxy, forwardRequests, type ServiceProxy } from './service-proxy.ts';
import { exposeUpstreams } from './upstream-metrics.ts';

const MAX_IN_FLIGHT = 10_000;
/** Early enough to reach the client before remaining connections are closed, 19 s after the stop began. */
const REFUSE_AFTER_MS = 15_000;

interface UpstreamsConfig {
  /** Base URLs. */
  upstreams: Record<UpstreamName, string>;
  /** Deadline of requests that wait. */
  upstreamTimeoutMs: number;
  maxBodyBytes: number;
  internalToken: string | undefined;
}

interface UpstreamsDependencies {
  /** Those of credentials. */
  changes: ChangeFollower;
  registry: Registry;
  logger: Logger;
}

/** The services behind the gateway. */
export function createUpstreams(config: UpstreamsConfig, { changes, registry, logger }: UpstreamsDependencies) {
  const { internalToken, upstreamTimeoutMs: waitTimeoutMs, maxBodyBytes } = config;
  const byName = Object.fromEntries(
    UPSTREAM_NAMES.map((name) => {
      const { responseTimeoutMs: timeoutMs } = UPSTREAMS[name];
      const url = config.upstreams[name];
      const limits = { timeoutMs, waitTimeoutMs, maxBodyBytes };
      return [name, createServiceProxy({ name, url, ...limits, internalToken, changes, logger })];
    }),
  ) as Record<UpstreamName, ServiceProxy>;
  const all = Object.values(byName);
  exposeUpstreams(registry, byName);
  // Ends what principals have open that may no longer have it.
  changes.onChange((name) => {
    for (const proxy of all) proxy.endFor(name);
  });
  changes.onReset(() => {
    for (const proxy of all) proxy.endUnverified();
  });
  return {
    byName,
    /** Forwards the requests whose routes lead to a service. */
    forward: forwardRequests(byName, { maxInFlight: MAX_IN_FLIGHT, maxBodyBytes }),
    /** Call it when the server begins to close: ends event streams and long polls in time. */
    endLong: (drainSeconds: number) => endLongExchanges(all, drainSeconds),
    async close(): Promise<void> {
      await Promise.all(all.map((proxy) => proxy.close()));
    },
  };
}

/**
 * Ends the requests that would outlast a stop. Event streams end with the drain: by then load balancers send clients
 * that reconnect to another gateway. Requests without a response, such as long polls, get 503 after 15 s, or at the end
 * of a longer drain.
 */
export function endLongExchanges(proxies: readonly ServiceProxy[], drainSeconds: number): void {
  const drainMs = drainSeconds * 1_000;
  setTimeout(() => {
    for (const proxy of proxies) proxy.endStreams();
  }, drainMs).unref();
  const refuse = () => {
    for (const proxy of proxies) proxy.refuseWaiting();
  };
  setTimeout(refuse, Math.max(drainMs, REFUSE_AFTER_MS)).unref();
}
