import { isIPv6 } from 'node:net';
import { IDLE_UPSTREAM_MS } from '@agent-fleet/shared/http/serve';
import type { Logger } from '@agent-fleet/shared/logger';
import { Connections } from './connections.ts';
import { Probe } from './probe.ts';

const CONNECT_TIMEOUT_MS = 1_000;
/** A `Link` has two URLs with the query of the request, up to 16 KiB, in which a comma becomes `%2C`. */
const MAX_HEADER_BYTES = 128 * 1024;
const DRAIN_MS = 60_000;
/** Seconds without a response to a probe until a replica counts as hanging. */
const MAX_MISSED_PROBES = 3;

/** How an exchange with a replica ended: the class of its status, or why there was no response to forward. */
export const OUTCOMES = ['2xx', '3xx', '4xx', '5xx', 'broken', 'timeout', 'unreachable', 'abandoned'] as const;
type Outcome = (typeof OUTCOMES)[number];
/** Outcomes without a response. */
export type Failure = 'broken' | 'timeout' | 'unreachable' | 'abandoned';

/** Settings of every replica of a service. */
export interface ReplicaSettings {
  /** Until the response headers, and between parts of the body unless the client accepts an event stream. */
  timeoutMs: number;
  /** Each request has its own connection, so that none waits behind an open stream; further requests are refused. */
  maxInFlight: number;
  /** A probe counts as missed after this time; three missed probes mark it unhealthy. */
  silentMs: number;
  internalToken: string | undefined;
  logger: Logger;
}

interface ReplicaOptions extends ReplicaSettings {
  /** Base URL of the service; the replica has its own address. */
  url: URL;
  /** Called when its health changes. */
  onChange: () => void;
}

export interface ReplicaState {
  address: string;
  state: 'up' | 'unhealthy';
  inFlight: number;
}

/** One address of a service and the connections to it. */
export class Replica {
  readonly address: string;
  readonly connections: Connections;
  /** Decides about `up`: unhealthy when it is not ready (it may be stopping) or three probes get no response. */
  readonly probe: Probe;
  up: boolean;
  /** Whether probes get any response, ready or not. */
  responds = false;
  readonly maxInFlight: number;
  inFlight = 0;
  readonly outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  #missedProbes = 0;
  #isDraining = false;
  readonly #options: ReplicaOptions;

  constructor(address: string, up: boolean, options: ReplicaOptions) {
    const { url, timeoutMs, internalToken, silentMs } = options;
    this.address = address;
    this.up = up;
    this.#options = options;
    this.maxInFlight = options.maxInFlight;
    const origin = `${url.protocol}//${isIPv6(address) ? `[${address}]` : address}:${portOf(url)}`;
    // A replica that refuses one connection refuses all.
    const onConnectError = ({ message }: Error) => {
      this.responds = false;
      this.#markUnhealthy(message);
    };
    this.connections = new Connections(origin, {
      connectTimeout: CONNECT_TIMEOUT_MS,
      // Shorter than the services' own, so that a service never closes a connection that is in use.
      keepAliveTimeout: IDLE_UPSTREAM_MS,
      keepAliveMaxTimeout: IDLE_UPSTREAM_MS,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      onConnectError,
    });
    this.probe = new Probe({
      ...{ origin, host: url.host, internalToken, silentMs, onConnectError },
      onResponse: (result) => this.#onProbeResult(result),
      onMissedProbe: () => this.#onMissedProbe(),
    });
  }

  /** Whether it accepts connections but does not respond: a paused process, a lost host. */
  get hangs(): boolean {
    return this.#missedProbes >= MAX_MISSED_PROBES;
  }

  get state(): ReplicaState {
    return { address: this.address, state: this.up ? 'up' : 'unhealthy', inFlight: this.inFlight };
  }

  countResponse(status: number): void {
    this.inFlight--;
    this.outcomes[classOf(status)]++;
  }

  countFailure(outcome: Failure): void {
    this.inFlight--;
    this.outcomes[outcome]++;
  }

  /** Waits up to a minute for requests in flight; probes continue meanwhile. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.up = false;
    const deadline = setTimeout(() => void this.connections.destroy(), DRAIN_MS).unref();
    await this.connections.close();
    clearTimeout(deadline);
    await this.close();
  }

  /** Aborts requests in flight. */
  async close(): Promise<void> {
    await Promise.all([this.connections.destroy(), this.probe.close()]);
  }

  #onProbeResult(result: string): void {
    this.#missedProbes = 0;
    this.responds = true;
    if (result === 'ok') this.#markHealthy();
    else this.#markUnhealthy(result);
  }

  #onMissedProbe(): void {
    this.#missedProbes++;
    if (this.#missedProbes !== MAX_MISSED_PROBES) return;
    this.responds = false;
    this.#markUnhealthy('does not respond');
  }

  #markHealthy(): void {
    if (this.up || this.#isDraining) return;
    this.up = true;
    this.#options.logger.info({ address: this.address }, 'replica is healthy');
    this.#options.onChange();
  }

  #markUnhealthy(reason: string): void {
    if (this.up) this.#options.logger.warn({ reason, address: this.address }, 'replica is unhealthy');
    this.up = false;
    this.#options.onChange();
  }
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

function classOf(status: number): Outcome {
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}
