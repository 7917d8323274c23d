import { isIPv6 } from 'node:net';
import { IDLE_UPSTREAM_MS } from '@agent-fleet/shared/http/serve';
import type { Logger } from '@agent-fleet/shared/logger';
import { Connections } from './connections.ts';
import { Probe } from './probe.ts';
import { Traffic } from './traffic.ts';

const CONNECT_TIMEOUT_MS = 1_000;
const DRAIN_MS = 60_000;
/** Seconds without an answer to a probe until a replica is taken to hang. */
const MAX_SILENCES = 3;
const MAX_FAILURES_IN_ROW = 5;

declare global {
  namespace Express {
    interface Locals {
      /** Address of the replica that was asked last. */
      replica?: string;
    }
  }
}

export interface ReplicaOptions {
  /** Base URL of the service, of which the replica has another address. */
  url: URL;
  timeoutMs: number;
  /** Each request has a connection of its own, so that none waits behind a stream that stays open; more are refused. */
  maxInFlight: number;
  ejectedMs: number;
  silentMs: number;
  internalToken: string | undefined;
  logger: Logger;
  /** It takes requests or does not, hangs or goes on. */
  onChange: () => void;
  /** Its failures in a row are enough to eject it. */
  onOutlier: (replica: Replica) => void;
}

export interface ReplicaState {
  address: string;
  state: 'up' | 'aside' | 'ejected';
  inFlight: number;
}

/** One address of a service and the connections to it. */
export class Replica {
  readonly address: string;
  readonly connections: Connections;
  readonly traffic: Traffic;
  #up: boolean;
  /** Its last word was that it is not ready: it is there. */
  #answers = false;
  #silences = 0;
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
    // What refuses one connection refuses all, and a probe takes it back within a second: to wait for five would cost five requests.
    const onConnectError = (err: Error) => this.#setAside({ err });
    this.connections = new Connections(origin, {
      connectTimeout: CONNECT_TIMEOUT_MS,
      // Below the times after which services close a connection, so that it is never they who close one that is being taken.
      keepAliveTimeout: IDLE_UPSTREAM_MS,
      keepAliveMaxTimeout: IDLE_UPSTREAM_MS,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      onConnectError,
    });
    const onAnswer = (answer: string) => this.#onAnswer(answer);
    const onSilence = () => this.#onSilence();
    this.#probe = new Probe({ origin, host: url.host, internalToken, silentMs, onAnswer, onSilence, onConnectError });
  }

  get up(): boolean {
    return this.#up;
  }

  /** Whether probes get an answer from it, if only that it is not ready. */
  get answers(): boolean {
    return this.#answers;
  }

  /** It takes connections, or seems to, and says nothing: a process that is paused, a host that is gone. */
  get hangs(): boolean {
    return this.#silences >= MAX_SILENCES;
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
    return { address: this.address, state: this.#up ? state : 'aside', inFlight: this.inFlight };
  }

  /**
   * Asks the replica whether it is ready: one that says no, as it does before it stops, is set aside, and so is one that says nothing
   * for three seconds; one that was set aside and says yes is taken back.
   */
  probe(): void {
    void this.#probe.ask();
  }

  /** `ok` when `/ready` answers 200 within a second, else what was wrong. */
  askReady(): Promise<string> {
    return this.#probe.askShortly();
  }

  /** Gives it no request for a while, whatever its probes say, unless it goes away and comes back. */
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
    this.#silences = 0;
    this.#answers = true;
    if (answer === 'ok') this.#takeBack();
    else this.#setAside({ reason: answer });
  }

  #onSilence(): void {
    this.#silences++;
    if (this.#silences !== MAX_SILENCES) return;
    this.#answers = false;
    this.#setAside({ reason: 'does not answer' });
  }

  #onFailure(): void {
    // One that is set aside is taken back by its probes alone: what still fails there are the last of those it had in flight.
    if (this.#up && !this.#ejection && this.traffic.failuresInRow >= MAX_FAILURES_IN_ROW) {
      this.#options.onOutlier(this);
    }
  }

  #takeBack(): void {
    if (this.#up || this.#leaving) return;
    this.#up = true;
    // What failed before it was away tells nothing of what is there now: a process that was killed and started again.
    this.#endEjection();
    this.#options.logger.info({ address: this.address }, 'replica is back');
    this.#options.onChange();
  }

  #endEjection(): void {
    clearTimeout(this.#ejection);
    this.#ejection = undefined;
  }

  #setAside(why: { err: Error } | { reason: string }): void {
    if ('err' in why) this.#answers = false;
    if (this.#up) this.#options.logger.warn({ ...why, address: this.address }, 'replica is set aside');
    this.#up = false;
    this.#options.onChange();
  }
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
