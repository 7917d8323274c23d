import { exposeCounter, exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import type { Registry } from 'prom-client';
import { OUTCOMES } from './replicas/replica.ts';
import type { ServiceProxy } from './service-proxy.ts';

/** Upstreams by service name. */
type Upstreams = Record<string, Pick<ServiceProxy, 'figures'>>;

const STATES = ['up', 'unhealthy'] as const;

/** A removed replica's series disappear. */
export function exposeUpstreams(registry: Registry, upstreams: Upstreams): void {
  const figures = () => Object.entries(upstreams).map(([upstream, proxy]) => ({ upstream, ...proxy.figures() }));
  exposeCounter(registry, {
    name: 'gateway_upstream_requests_total',
    help: 'Requests sent to a replica, including retries, by outcome',
    labelNames: ['upstream', 'replica', 'outcome'],
    read: () =>
      figures().flatMap(({ upstream, replicas }) =>
        replicas.flatMap(({ address: replica, outcomes }) =>
          OUTCOMES.map((outcome) => [{ upstream, replica, outcome }, outcomes[outcome]] as const),
        ),
      ),
  });
  exposeGauge(registry, {
    name: 'gateway_upstream_in_flight',
    help: 'Requests in flight at a replica',
    labelNames: ['upstream', 'replica'],
    read: () =>
      figures().flatMap(({ upstream, replicas }) =>
        replicas.map(({ address: replica, inFlight }) => [{ upstream, replica }, inFlight] as const),
      ),
  });
  exposeGauge(registry, {
    name: 'gateway_upstream_replicas',
    help: 'Replicas that are up, or unhealthy: they refuse connections, hang or are not ready',
    labelNames: ['upstream', 'state'],
    read: () =>
      figures().flatMap(({ upstream, states }) =>
        STATES.map((state) => [{ upstream, state }, states.filter((one) => one.state === state).length] as const),
      ),
  });
  exposeCounter(registry, {
    name: 'gateway_upstream_retries_total',
    help: 'Retried requests',
    labelNames: ['upstream'],
    read: () => figures().map(({ upstream, retries }) => [{ upstream }, retries] as const),
  });
}
