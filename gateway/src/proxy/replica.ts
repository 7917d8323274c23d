import { isIPv6 } from 'node:net';
import { INTERNAL_TOKEN_HEADER } from '@agent-fleet/shared/internal-access';
import type { Logger } from '@agent-fleet/shared/logger';
import { IDLE_UPSTREAM_MS } from '@agent-fleet/shared/serve';
import { Connections } from './connections.ts';

const CONNECT_TIMEOUT_MS = 1_000;
const PROBE_TIMEOUT_MS = 1_000;
const DRAIN_MS = 60_000;
const UNREACHABLE = 'unreachable';

export interface ReplicaOptions {
  /** Base URL of the service, of which the replica has another address. */
  url: URL;
  timeoutMs: number;
  /** Each request has a connection of its own, so that none waits behind a stream that stays open; more are refused. */
  maxInFlight: number;
  internalToken: string | undefined;
  logger: Logger;
  onChange: () => void;
}

export interface ReplicaState {
  address: string;
  state: 'up' | 'aside';
  inFlight: number;
}

/** One address of a service and the connections to it. */
export class Replica {
  readonly address: string;
  readonly connections: Connections;
  inFlight = 0;
  #up: boolean;
  #probing = false;
  readonly #options: ReplicaOptions;

  constructor(address: string, up: boolean, options: ReplicaOptions) {
    const { url, timeoutMs } = options;
    this.address = address;
    this.#up = up;
    this.#options = options;
    this.connections = new Connections(
      `${url.protocol}//${isIPv6(address) ? `[${address}]` : address}:${portOf(url)}`,
      {
        connectTimeout: CONNECT_TIMEOUT_MS,
        // Below the times after which services close a connection, so that it is never they who close one that is being taken.
        keepAliveTimeout: IDLE_UPSTREAM_MS,
        keepAliveMaxTimeout: IDLE_UPSTREAM_MS,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        onConnectError: (err) => this.#setAside({ err }),
      },
    );
  }

  get up(): boolean {
    return this.#up;
  }

  get full(): boolean {
    return this.inFlight >= this.#options.maxInFlight;
  }

  get state(): ReplicaState {
    return { address: this.address, state: this.#up ? 'up' : 'aside', inFlight: this.inFlight };
  }

  /**
   * Asks the replica whether it is ready: one that says no, as it does before it stops, is set aside; one that was set aside and says
   * yes is taken back. What does not answer in time keeps its place: requests will tell.
   */
  async probe(): Promise<void> {
    if (this.#probing) return;
    this.#probing = true;
    const answer = await this.askReady();
    this.#probing = false;
    if (answer === 'ok') this.#takeBack();
    else if (answer !== UNREACHABLE) this.#setAside({ reason: answer });
  }

  /** `ok` when `/ready` answers 200 within a second, else what was wrong. */
  async askReady(): Promise<string> {
    const { url, internalToken } = this.#options;
    const headers = ['host', url.host, ...(internalToken ? [INTERNAL_TOKEN_HEADER, internalToken] : [])];
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    try {
      const { statusCode, body } = await this.connections.request({ method: 'GET', path: '/ready', headers, signal });
      await body.dump({ limit: 64 * 1024, signal });
      return statusCode === 200 ? 'ok' : `not ready (${statusCode})`;
    } catch {
      return UNREACHABLE;
    }
  }

  /** Lets requests in flight end, for a minute. */
  async drain(): Promise<void> {
    const deadline = setTimeout(() => void this.connections.destroy(), DRAIN_MS).unref();
    await this.connections.close();
    clearTimeout(deadline);
  }

  #takeBack(): void {
    if (this.#up) return;
    this.#up = true;
    this.#options.logger.info({ address: this.address }, 'replica is back');
    this.#options.onChange();
  }

  #setAside(why: { err: Error } | { reason: string }): void {
    if (!this.#up) return;
    this.#up = false;
    this.#options.logger.warn({ ...why, address: this.address }, 'replica is set aside');
    this.#options.onChange();
  }
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
