import { INTERNAL_TOKEN_HEADER } from '@agent-fleet/shared/http/internal-access';
import { Client } from 'undici';

/** On a connection of its own a question is asked anew: after a restart nobody may know the old one. */
const GIVE_UP_MS = 10_000;
const MAX_BODY_BYTES = 64 * 1024;
const CONNECT_TIMEOUT_MS = 1_000;

export interface ProbeOptions {
  /** Of the replica. */
  origin: string;
  /** `host[:port]` of the service. */
  host: string;
  internalToken: string | undefined;
  /** How long to wait for a response until the replica counts as silent, and each time again. */
  silentMs: number;
  /** `ok` when `/ready` answered 200, else what it answered. */
  onAnswer: (answer: string) => void;
  /** Told for each second without an answer. */
  onMissedProbe: () => void;
  /** Nothing listens, or not for a stranger. */
  onConnectError: (error: Error) => void;
}

/**
 * Asks a replica whether it is ready, one question at a time, over one connection of its own. A question that is not answered stays:
 * one that hangs is not sent connection after connection, and tells at once when it goes on.
 */
export class Probe {
  readonly #options: ProbeOptions;
  readonly #client: Client;
  #asked: Promise<string> | undefined;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#client = new Client(options.origin, { connectTimeout: CONNECT_TIMEOUT_MS, allowH2: false });
    this.#client.on('connectionError', (_origin, _targets, error) => options.onConnectError(error));
  }

  /** The answer to the question that waits, or to a new one: `ok`, `not ready (503)` and the like, or `unreachable`. */
  ask(): Promise<string> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  /** As above, but within a second. */
  async askShortly(): Promise<string> {
    const { promise: deadline, resolve } = Promise.withResolvers<string>();
    const timer = setTimeout(() => resolve('does not answer'), this.#options.silentMs).unref();
    const answer = await Promise.race([this.ask(), deadline]);
    clearTimeout(timer);
    return answer;
  }

  close(): Promise<void> {
    return this.#client.destroy();
  }

  async #ask(): Promise<string> {
    const { onAnswer, onMissedProbe, silentMs } = this.#options;
    let wasSilent = false;
    const silence = setInterval(() => {
      wasSilent = true;
      onMissedProbe();
    }, silentMs).unref();
    try {
      const answer = await this.#request();
      onAnswer(answer);
      return answer;
    } catch (error) {
      // Where a connection is refused somebody is there.
      if (!wasSilent && (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') onMissedProbe();
      return 'unreachable';
    } finally {
      clearInterval(silence);
      this.#asked = undefined;
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
