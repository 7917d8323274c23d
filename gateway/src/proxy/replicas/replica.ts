import { isIPv6 } from 'node:net';
import { IDLE_UPSTREAM_MS } from '@agent-fleet/shared/http/serve';
import type { Logger } from '@agent-fleet/shared/logger';
import { Connections } from './connections.ts';
import { Probe } from './probe.ts';
import { Traffic } from './traffic.ts';

const CONNECT_TIMEOUT_MS = 1_000;
const DRAIN_MS = 60_000;
/** Seconds without a response to a probe until a replica counts as hanging. */
const MAX_MISSED_PROBES = 3;
const MAX_FAILURES_IN_ROW = 5;

declare global {
  namespace Express {
    interface Locals {
      /** Address of the replica that got the request last. */
      replica?: string;
    }
  }
}

export interface ReplicaOptions {
  /** Base URL of the service; the replica has its own address. */
  url: URL;
  timeoutMs: number;
  /** Each request has its own connection, so that none waits behind an open stream; further requests are refused. */
  maxInFlight: number;
  ejectedMs: number;
  silentMs: number;
  internalToken: string | undefined;
  logger: Logger;
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
  #up: boolean;
  /** Whether its probes get responses, if only that it is not ready. */
  #answers = false;
  #missedProbes = 0;
  #ejection: NodeJS.Timeout | undefined;
  #leaving = false;
  readonly #probe: Probe;
  readonly #options: ReplicaOptions;

  constructor(address: string, up: boolean, options: ReplicaOptions) {
    const { url, timeoutMs, internalToken, silentMs } = options;
    this.address = address;
    this.#up = up;
    this.#options = options;
    this.traffic = new Traffic(() => this.#onFailure());
    const origin = `${url.protocol}//${isIPv6(address) ? `[${address}]` : address}:${portOf(url)}`;
    // A replica that refuses one connection refuses all; waiting for five failures would cost five requests. A probe marks it healthy again.
    const onConnectError = (err: Error) => this.#markUnhealthy({ err });
    this.connections = new Connections(origin, {
      connectTimeout: CONNECT_TIMEOUT_MS,
      // Shorter than the services' own, so that a service never closes a connection that is just being used.
      keepAliveTimeout: IDLE_UPSTREAM_MS,
      keepAliveMaxTimeout: IDLE_UPSTREAM_MS,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      onConnectError,
    });
    const onAnswer = (answer: string) => this.#onAnswer(answer);
    const onMissedProbe = () => this.#onMissedProbe();
    this.#probe = new Probe({
      origin,
      host: url.host,
      internalToken,
      silentMs,
      onAnswer,
      onMissedProbe,
      onConnectError,
    });
  }

  get up(): boolean {
    return this.#up;
  }

  /** Whether probes get a response from it, if only that it is not ready. */
  get answers(): boolean {
    return this.#answers;
  }

  /** It accepts connections, or seems to, and does not respond: a paused process, a lost host. */
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
    return { address: this.address, state: this.#up ? state : 'unhealthy', inFlight: this.inFlight };
  }

  /**
   * Requests `/ready`. A replica that is not ready, as before it stops, or does not respond for three seconds is marked unhealthy; an
   * unhealthy one that is ready is marked healthy.
   */
  probe(): void {
    void this.#probe.ask();
  }

  /** `ok` when `/ready` answers 200 within a second, else the reason. */
  askReady(): Promise<string> {
    return this.#probe.askShortly();
  }

  /** Ejects it for a while, whatever its probes say, unless it becomes unhealthy and recovers. */
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

  /** Lets requests in flight end, for a minute, and is probed until then. */
  async drain(): Promise<void> {
    this.#leaving = true;
    this.#up = false;
    const deadline = setTimeout(() => void this.connections.destroy(), DRAIN_MS).unref();
    await this.connections.close();
    clearTimeout(deadline);
    await this.close();
  }

  /** Cuts what is in flight. */
  async close(): Promise<void> {
    clearTimeout(this.#ejection);
    await Promise.all([this.connections.destroy(), this.#probe.close()]);
  }

  #onAnswer(answer: string): void {
    this.#missedProbes = 0;
    this.#answers = true;
    if (answer === 'ok') this.#markHealthy();
    else this.#markUnhealthy({ reason: answer });
  }

  #onMissedProbe(): void {
    this.#missedProbes++;
    if (this.#missedProbes !== MAX_MISSED_PROBES) return;
    this.#answers = false;
    this.#markUnhealthy({ reason: 'does not respond' });
  }

  #onFailure(): void {
    // Only probes mark an unhealthy replica healthy: these failures are of the last requests it had in flight.
    if (this.#up && !this.#ejection && this.traffic.failuresInRow >= MAX_FAILURES_IN_ROW) {
      this.#options.onOutlier(this);
    }
  }

  #markHealthy(): void {
    if (this.#up || this.#leaving) return;
    this.#up = true;
    // Failures before it was unhealthy say nothing about the process that runs now.
    this.#endEjection();
    this.#options.logger.info({ address: this.address }, 'replica is healthy');
    this.#options.onChange();
  }

  #endEjection(): void {
    clearTimeout(this.#ejection);
    this.#ejection = undefined;
  }

  #markUnhealthy(why: { err: Error } | { reason: string }): void {
    if ('err' in why) this.#answers = false;
    if (this.#up) this.#options.logger.warn({ ...why, address: this.address }, 'replica is unhealthy');
    this.#up = false;
    this.#options.onChange();
  }
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
