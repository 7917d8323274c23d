import { Counter, Gauge, type Registry } from 'prom-client';
import type { Replica, ReplicaState } from './replicas/replica.ts';
import { OUTCOMES } from './replicas/traffic.ts';

/** Counters of a service's proxy since the start, and the state of its replicas. */
export interface UpstreamFigures {
  /** Including removed replicas with requests in flight. */
  replicas: Pick<Replica, 'address' | 'inFlight' | 'traffic'>[];
  states: ReplicaState[];
  retries: number;
  ejections: number;
}

/** Upstreams by service name. */
type Upstreams = Record<string, { figures(): UpstreamFigures }>;

const STATES = ['up', 'unhealthy', 'ejected'] as const;

/** Reads the figures at each scrape: a request only increments numbers. A removed replica's series disappear. */
export function exposeUpstreams(registry: Registry, upstreams: Upstreams): void {
  const registers = [registry];
  const figures = () => Object.entries(upstreams).map(([upstream, proxy]) => ({ upstream, ...proxy.figures() }));
  new Counter({
    name: 'gateway_upstream_requests_total',
    help: 'Requests sent to a replica, including retries, by outcome',
    labelNames: ['upstream', 'replica', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { upstream, replicas } of figures()) {
        for (const { address: replica, traffic } of replicas) {
          for (const outcome of OUTCOMES) this.inc({ upstream, replica, outcome }, traffic.outcomes[outcome]);
        }
      }
    },
  });
  new Gauge({
    name: 'gateway_upstream_in_flight',
    help: 'Requests in flight at a replica',
    labelNames: ['upstream', 'replica'],
    registers,
    collect() {
      this.reset();
      for (const { upstream, replicas } of figures()) {
        for (const { address: replica, inFlight } of replicas) this.inc({ upstream, replica }, inFlight);
      }
    },
  });
  new Gauge({
    name: 'gateway_upstream_replicas',
    help: 'Replicas that are up, unhealthy (refuse connections, hang or are not ready), or ejected (failed in a row)',
    labelNames: ['upstream', 'state'],
    // Each process sees the same ones.
    aggregator: 'max',
    registers,
    collect() {
      for (const { upstream, states } of figures()) {
        for (const state of STATES) this.set({ upstream, state }, states.filter((one) => one.state === state).length);
      }
    },
  });
  exposeTotal('gateway_upstream_retries_total', 'Retried requests', ({ retries }) => retries);
  exposeTotal('gateway_upstream_ejections_total', 'Ejections of replicas', ({ ejections }) => ejections);

  function exposeTotal(name: string, help: string, read: (figures: UpstreamFigures) => number): void {
    new Counter({
      name,
      help,
      labelNames: ['upstream'],
      registers,
      collect() {
        this.reset();
        for (const { upstream, ...read_ } of figures()) this.inc({ upstream }, read(read_));
      },
    });
  }
}
