import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, HttpClient, type HttpResponse } from '../harness/http-client.ts';
import type { LocalProcess } from '../harness/local-process.ts';

const DEADLINE_MS = 20_000;
const AGAIN_MS = 100;
const ACKNOWLEDGED_TIMEOUT_MS = 90_000;

/** A response, or `undefined` when the connection broke, with the times around it. */
export interface Reply {
  response: HttpResponse | undefined;
  startedAtMs: number;
  endedAtMs: number;
  /** Whether the gateway was killed or not running meanwhile. */
  wasDown: boolean;
}

/** A change that was acknowledged. */
export interface Acknowledged {
  response: HttpResponse;
  /** How often it was sent: an answer may have been lost. */
  attempts: number;
  firstAtMs: number;
  atMs: number;
}

interface Outage {
  fromMs: number;
  toMs: number;
}

/** Clients of several gateways, one of which may be down at any time. */
export class Gateways {
  readonly count: number;
  /** When Redis was down. */
  readonly outages: Outage[] = [];
  readonly #clients: HttpClient[];
  readonly #downs: number[];
  readonly #isDown: boolean[];

  constructor(gateways: readonly LocalProcess[], apiKey: string) {
    this.count = gateways.length;
    this.#clients = gateways.map(({ url }) => new HttpClient(url, { apiKey }));
    this.#downs = gateways.map(() => 0);
    this.#isDown = gateways.map(() => false);
  }

  setDown(at: number, isDown: boolean): void {
    this.#isDown[at] = isDown;
    if (isDown) this.#downs[at] = (this.#downs[at] ?? 0) + 1;
  }

  async send(at: number, method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    const startedAtMs = performance.now();
    const [before, wasDownBefore] = [this.#downs[at], this.#isDown[at]];
    const client = this.#clients[at] as HttpClient;
    const response = await client.call(method, path, { deadlineMs: DEADLINE_MS, ...options }).catch(() => undefined);
    const wasDown = wasDownBefore === true || this.#isDown[at] === true || before !== this.#downs[at];
    return { response, startedAtMs, endedAtMs: performance.now(), wasDown };
  }

  /** Sends a change to a gateway of `choose` until one answers with less than 500. @throws after 90 s */
  async change(choose: () => number, method: string, path: string, options?: CallOptions): Promise<Acknowledged> {
    const firstAtMs = performance.now();
    for (let attempts = 1; ; attempts++) {
      const { response } = await this.send(choose(), method, path, options);
      if (response && response.status < 500) return { response, attempts, firstAtMs, atMs: performance.now() };
      if (performance.now() - firstAtMs > ACKNOWLEDGED_TIMEOUT_MS) {
        throw new Error(`${method} ${path}: not acknowledged: ${response?.status} ${response?.text}`);
      }
      await sleep(AGAIN_MS);
    }
  }

  /**
   * Whether Redis went down within a second after this time and is not back for longer than `settledMs`: gateways may
   * not have learned of a change, and go on with what they knew.
   */
  isInOutageAfter(changedAtMs: number, nowMs: number, settledMs: number): boolean {
    return this.outages.some(
      ({ fromMs, toMs }) => fromMs >= changedAtMs && fromMs < changedAtMs + 1_000 && nowMs < toMs + settledMs,
    );
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}
