import { setTimeout as sleep } from 'node:timers/promises';
import { INTERNAL_TOKEN_HEADER } from '@agent-fleet/shared/http/internal-access';
import { Client } from 'undici';

/** After this time a probe is aborted and sent on a new connection: a restarted replica may not have the old one. */
const GIVE_UP_MS = 10_000;
const MAX_BODY_BYTES = 64 * 1024;
const CONNECT_TIMEOUT_MS = 1_000;

export interface ProbeOptions {
  /** Origin of the replica. */
  origin: string;
  /** `host[:port]` of the service. */
  host: string;
  internalToken: string | undefined;
  /** How long to wait for a response until the replica counts as silent, and each time again. */
  silentMs: number;
  /** Called with `ok` when `/ready` responds with 200, else with the reason. */
  onResponse: (result: string) => void;
  /** Called after each `silentMs` without a response. */
  onMissedProbe: () => void;
  /** Called when the connection cannot be made. */
  onConnectError: (error: Error) => void;
}

/**
 * Requests `/ready` of a replica, one request at a time, over a connection of its own. A request without a response
 * stays open, so that a replica that hangs does not get ever more connections and is noticed as soon as it resumes.
 */
export class Probe {
  readonly #options: ProbeOptions;
  readonly #client: Client;
  #pending: Promise<string> | undefined;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#client = new Client(options.origin, { connectTimeout: CONNECT_TIMEOUT_MS, allowH2: false });
    this.#client.on('connectionError', (_origin, _targets, error) => options.onConnectError(error));
  }

  /** The result of the open request, or of a new one: `ok`, `not ready (503)` and the like, or `unreachable`. */
  check(): Promise<string> {
    this.#pending ??= this.#probe();
    return this.#pending;
  }

  /** Like `check`, within `silentMs`. */
  checkInTime(): Promise<string> {
    return Promise.race([this.check(), sleep(this.#options.silentMs, 'does not respond', { ref: false })]);
  }

  close(): Promise<void> {
    return this.#client.destroy();
  }

  async #probe(): Promise<string> {
    const { onResponse, onMissedProbe, silentMs } = this.#options;
    let wasSilent = false;
    const silence = setInterval(() => {
      wasSilent = true;
      onMissedProbe();
    }, silentMs).unref();
    try {
      const result = await this.#request();
      onResponse(result);
      return result;
    } catch (error) {
      // A refused connection proves that the host responds.
      if (!wasSilent && (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') onMissedProbe();
      return 'unreachable';
    } finally {
      clearInterval(silence);
      this.#pending = undefined;
    }
  }

  async #request(): Promise<string> {
    const { host, internalToken } = this.#options;
    const headers = ['host', host, ...(internalToken ? [INTERNAL_TOKEN_HEADER, internalToken] : [])];
    const signal = AbortSignal.timeout(GIVE_UP_MS);
    const { statusCode, body } = await this.#client.request({ method: 'GET', path: '/ready', headers, signal });
    await body.dump({ limit: MAX_BODY_BYTES, signal });
    return statusCode === 200 ? 'ok' : `not ready (${statusCode})`;
  }
}
