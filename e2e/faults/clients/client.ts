import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, HttpClient, type HttpResponse } from '../../harness/http-client.ts';
import { API_KEY } from '../../harness/local-fleet.ts';
import type { Ledger } from './ledger.ts';

/** No request may take longer, whatever breaks. */
const LONGEST_MS = 35_000;
const AGAIN_MS = 150;
/** A change that fails for so long is not a fault's doing. */
const GIVE_UP_MS = 90_000;
/** Paths of identity's records. */
const IDENTITY = /^\/(api-keys|token|revoke)\b/;
/** Identity has few clients, which must not all wait for a replica that is cut off. */
const IDENTITY_MS = 5_000;

/** A client of the fleet that notes each change, and what is wrong with a response whatever was broken. */
export class Client {
  readonly name: string;
  readonly url: string;
  readonly ledger: Ledger;
  readonly #http: HttpClient;

  constructor(name: string, baseUrl: string, ledger: Ledger) {
    this.name = name;
    this.url = baseUrl;
    this.ledger = ledger;
    this.#http = new HttpClient(baseUrl, { apiKey: API_KEY });
  }

  /** Sends a request once; undefined without a response. */
  async send(method: string, path: string, options: CallOptions = {}): Promise<HttpResponse | undefined> {
    const began = performance.now();
    const problem = { text: '' };
    const response = await this.#http
      .call(method, path, { deadlineMs: LONGEST_MS, ...options })
      .catch((error: NodeJS.ErrnoException) => {
        problem.text = error.code ?? error.message;
        return undefined;
      });
    const ms = Math.round(performance.now() - began);
    const failed = !response || response.status >= 400;
    if (method !== 'GET' || failed) {
      const told = response ? failed && { body: response.text.slice(0, 300) } : { problem: problem.text };
      this.ledger.write(this.name, { method, path, status: response?.status, ms, ...told });
    }
    const wrong = response ? findWrong(response) : ms >= LONGEST_MS && `no response within ${LONGEST_MS} ms`;
    if (wrong) this.ledger.violate(`${this.name}: ${method} ${path}: ${wrong}`);
    return response;
  }

  /** Repeats a change that is safe to repeat until its outcome is known; `attempts` is 1 if it was at once. */
  async change(method: string, path: string, options?: CallOptions): Promise<HttpResponse & { attempts: number }> {
    const began = performance.now();
    const isOfIdentity = IDENTITY.test(path);
    const deadlineMs = isOfIdentity ? IDENTITY_MS : LONGEST_MS;
    for (let attempts = 1; ; attempts++) {
      const response = await this.send(method, path, { deadlineMs, ...options });
      if (response && response.status < 500 && !response.text.includes('idempotent_request_in_progress')) {
        const isDone = method !== 'GET' && response.status < 300;
        if (isDone) this.ledger.acknowledge(isOfIdentity ? 'identity' : 'fleet');
        return { ...response, attempts };
      }
      if (this.ledger.isClosed) throw new Error('The run is over');
      this.ledger.counts.repeated++;
      if (performance.now() - began > GIVE_UP_MS)
        throw new Error(`${this.name}: ${method} ${path}: ${response?.status} for ${GIVE_UP_MS / 1_000} s`);
      await sleep(AGAIN_MS);
    }
  }

  async get<T>(path: string): Promise<T> {
    const response = await this.change('GET', path);
    if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${response.text}`);
    return response.json as T;
  }

  close(): void {
    this.#http.close();
  }
}

/** What no response may be. */
function findWrong({ status, headers, text }: HttpResponse): string | undefined {
  if (status === 503 && headers['retry-after'] === undefined) return `503 without Retry-After: ${text}`;
  if (status === 500) return `500 ${text} (${headers['x-request-id']})`;
  return undefined;
}
