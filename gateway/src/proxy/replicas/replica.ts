import { isIPv6 } from 'node:net';
import { IDLE_UPSTREAM_MS } from '@agent-fleet/shared/http/serve';
import type { Logger } from '@agent-fleet/shared/logger';
import { Connections } from './connections.ts';
import { Probe } from './probe.ts';
import { Traffic } from './traffic.ts';

const CONNECT_TIMEOUT_MS = 1_000;
/** A `Link` has two URLs with the query of the request, up to 16 KiB, in which a comma becomes `%2C`. */
const MAX_HEADER_BYTES = 128 * 1024;
const DRAIN_MS = 60_000;
/** Seconds without a response to a probe until a replica counts as hanging. */
const MAX_MISSED_PROBES = 3;
const MAX_FAILURES_IN_ROW = 5;

/** Settings of every replica of a service. */
export interface ReplicaSettings {
  /** Until the response headers, and between parts of the body unless the client accepts an event stream. */
  timeoutMs: number;
  /** Each request has its own connection, so that none waits behind an open stream; further requests are refused. */
  maxInFlight: number;
  /** How long it is ejected after five failures in a row. */
  ejectedMs: number;
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
  /** Called when it has failed often enough in a row to be ejected. */
  onOutlier: (replica: Replica) => void;
}

export interface ReplicaState {
  address: string;
  state: 'up' | 'unhealthy' | 'ejected';
  inFlight: number;
}

/** One address of a service and the connections to it. */
export class Replica {
  readonly address: string;
  readonly connections: Connections;
  readonly traffic: Traffic;
  /** Decides about `up`: unhealthy when it is not ready (it may be stopping) or three probes get no response. */
  readonly probe: Probe;
  up: boolean;
  /** Whether probes get any response, ready or not. */
  responds = false;
  #missedProbes = 0;
  #ejection: NodeJS.Timeout | undefined;
  #isDraining = false;
  readonly #options: ReplicaOptions;

  constructor(address: string, up: boolean, options: ReplicaOptions) {
    const { url, timeoutMs, internalToken, silentMs } = options;
    this.address = address;
    this.up = up;
    this.#options = options;
    this.traffic = new Traffic(() => this.#onFailure());
    const origin = `${url.protocol}//${isIPv6(address) ? `[${address}]` : address}:${portOf(url)}`;
    // A replica that refuses one connection refuses all; waiting for five failures would cost five requests.
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

  get ejected(): boolean {
    return this.#ejection !== undefined;
  }

  get inFlight(): number {
    return this.traffic.inFlight;
  }

  get full(): boolean {
    return this.traffic.inFlight >= this.#options.maxInFlight;
  }

  get state(): ReplicaState {
    const state = this.#ejection ? 'ejected' : 'up';
    return { address: this.address, state: this.up ? state : 'unhealthy', inFlight: this.inFlight };
  }

  /** Ejects it for `ejectedMs` regardless of its probes; recovering from unhealthy ends the ejection early. */
  eject(): void {
    const { logger, ejectedMs, onChange } = this.#options;
    clearTimeout(this.#ejection);
    this.#ejection = setTimeout(() => {
      this.#endEjection();
      onChange();
    }, ejectedMs).unref();
    logger.warn({ address: this.address, failures: this.traffic.failuresInRow }, 'replica is ejected');
    this.traffic.failuresInRow = 0;
    onChange();
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
    clearTimeout(this.#ejection);
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

  #onFailure(): void {
    // Failures of an unhealthy replica come from its last requests in flight; only probes decide about it.
    if (this.up && !this.#ejection && this.traffic.failuresInRow >= MAX_FAILURES_IN_ROW) {
      this.#options.onOutlier(this);
    }
  }

  #markHealthy(): void {
    if (this.up || this.#isDraining) return;
    this.up = true;
    // Earlier failures may be those of a process that has been replaced.
    this.#endEjection();
    this.#options.logger.info({ address: this.address }, 'replica is healthy');
    this.#options.onChange();
  }

  #endEjection(): void {
    clearTimeout(this.#ejection);
    this.#ejection = undefined;
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
