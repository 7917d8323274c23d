import { Agent as ConnectionPool, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

/** Longer than waits of 30 s and the deadlines of 35 s around them. */
const DEADLINE_MS = 60_000;

/** Headers with a credential. */
export type Credential = Readonly<Record<string, string>>;

/** `key` and `token` are good credentials of the system under test, both of an administrator. */
export type Caller = 'nobody' | 'key' | 'token' | Credential;

export interface CallOptions {
  as?: Caller;
  headers?: OutgoingHttpHeaders;
  /** Text and bytes are sent unchanged, other values as JSON. */
  body?: unknown;
  deadlineMs?: number;
  /** Ends an endless response when its text matches; the response then counts as complete. */
  readUntil?: RegExp;
}

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  /** The body as JSON; undefined if it is not JSON. */
  json: unknown;
}

export interface Credentials {
  apiKey: string;
  /** An access token, for calls as `token`. */
  token?: () => Promise<string>;
}

/** A client that changes nothing: paths are sent as given, responses are returned with their content coding. */
export class HttpClient {
  readonly #base: URL;
  readonly #credentials: Credentials;
  readonly #pool = new ConnectionPool({ keepAlive: true, maxSockets: 256 });

  constructor(baseUrl: string, credentials: Credentials) {
    this.#base = new URL(baseUrl);
    this.#credentials = credentials;
  }

  /** Sends one request, by default with the API key. @throws without a complete response in time */
  async call(method: string, path: string, options: CallOptions = {}): Promise<HttpResponse> {
    const { body, deadlineMs = DEADLINE_MS, readUntil } = options;
    const payload = toPayload(body);
    const headers = { ...(await this.#authorization(options.as ?? 'key')), ...toHeaders(payload), ...options.headers };
    const { hostname: host, port } = this.#base;
    if (headers['transfer-encoding'] !== undefined) delete headers['content-length'];
    const signal = AbortSignal.timeout(deadlineMs);
    return new Promise((resolve, reject) => {
      const outgoing = request({ host, port, method, path, headers, agent: this.#pool, signal }, (incoming) => {
        const chunks: Buffer[] = [];
        const finish = () => resolve(toResponse(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks)));
        incoming.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (!readUntil?.test(Buffer.concat(chunks).toString())) return;
          finish();
          outgoing.destroy();
        });
        incoming.on('end', finish);
        incoming.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  }

  /** Closes idle connections. */
  close(): void {
    this.#pool.destroy();
  }

  async #authorization(caller: Caller): Promise<OutgoingHttpHeaders> {
    if (typeof caller === 'object') return caller;
    if (caller === 'key') return { 'x-api-key': this.#credentials.apiKey };
    return caller === 'token' ? { authorization: `Bearer ${await this.#credentials.token?.()}` } : {};
  }
}

/** Node sends the body of a GET or DELETE without framing unless its length is given. */
function toHeaders(payload: string | Buffer | undefined): OutgoingHttpHeaders {
  if (payload === undefined) return {};
  return { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
}

function toPayload(body: unknown): string | Buffer | undefined {
  return body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

function toResponse(status: number, headers: IncomingHttpHeaders, bytes: Buffer): HttpResponse {
  const text = bytes.toString();
  return { status, headers, bytes, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the body of a response that must have this status. */
export function expectStatus<T>({ status, text, json }: HttpResponse, expected: number): T {
  if (status !== expected) throw new Error(`Not ${expected}: ${status} ${text.slice(0, 500)}`);
  return json as T;
}
