/** One request on the wire, for a log. The credentials are not part of it. */
export interface SentRequest {
  method: string;
  url: string;
  /** 1 for the first, more for its retries. */
  attempt: number;
  durationMs: number;
  /** Absent without a response. */
  status?: number;
  requestId?: string;
  /** Why there was no response. */
  error?: string;
}

/** Called for every request, and with a token that the fleet refused (401): with another one, it is sent once more. */
export type TokenSource = (refused?: string) => string | Promise<string>;

/** Reads and writes JSON, as `JSON` does. */
export interface JsonFormat {
  /** @throws SyntaxError */
  parse(text: string): unknown;
  stringify(value: unknown): string | undefined;
}

export interface FleetOptions {
  /** Base URL of the fleet, such as `https://fleet.example.com`; it may have a path. */
  url: string;
  /** Sent as `X-API-Key`. */
  apiKey?: string;
  /** A bearer token, or what gives one. */
  token?: string | TokenSource;
  /** Default: the global one. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Limit of a call with its retries; time that the fleet is asked to wait comes on top. Default 30,000. */
  timeoutMs?: number;
  /** How often a request is retried at most, if that is safe, 0 to 10. Default 3. */
  retries?: number;
  /** Default: that of `fetch`. */
  userAgent?: string;
  /** Reads and writes bodies. Default: `JSON`, whose numbers are doubles. */
  json?: JsonFormat;
  /** Called after each request, also those that failed. */
  onRequest?: (request: SentRequest) => void;
}

export type Settings = ReturnType<typeof toSettings>;

/** Validates the options and adds all defaults. @throws TypeError, RangeError for an invalid option */
export function toSettings(options: FleetOptions) {
  const { apiKey, token, userAgent, timeoutMs = 30_000, retries = 3 } = options;
  assertHeader('apiKey', apiKey);
  assertHeader('userAgent', userAgent);
  if (typeof token === 'string') assertHeader('token', token);
  if (!(timeoutMs > 0)) throw new RangeError('timeoutMs must be greater than 0');
  if (!Number.isInteger(retries) || retries < 0 || retries > 10) throw new RangeError('retries must be from 0 to 10');
  return {
    baseUrl: toBaseUrl(options.url),
    apiKey,
    token,
    // Browsers refuse a `fetch` that is called as a method of another object.
    fetch: options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init)),
    timeoutMs,
    retries,
    userAgent,
    json: options.json ?? JSON,
    onRequest: options.onRequest ?? (() => {}),
  };
}

/** Without this check, the mistake would look like an unavailable fleet. @throws TypeError */
export function assertHeader(name: string, value: string | undefined): void {
  try {
    if (value) new Headers({ [name]: value });
  } catch {
    throw new TypeError(`${name} has characters that are not allowed in a header`);
  }
}

function toBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TypeError(`url must be like http://localhost:8080, not ${text}`);
  if (url.username || url.password) throw new TypeError('url must not have credentials; set apiKey or token');
  return url.origin + url.pathname.replace(/\/+$/, '');
}
