/** One invalid field of a request; `path` joins the keys with dots. */
export interface FieldError {
  path: string;
  code: string;
  message: string;
}

interface FleetErrorOptions {
  status?: number;
  code?: string;
  requestId?: string;
  retryAfterSeconds?: number;
  body?: unknown;
  response?: Response;
  cause?: unknown;
}

/** The codes of error bodies that have none: `{"detail": …}`. */
const CODES: Record<number, string> = { 304: 'not_modified', 401: 'unauthorized', 403: 'forbidden', 404: 'not_found' };
const MAX_RETRY_AFTER_SECONDS = 3600;
const SHOWN_CHARACTERS = 300;

/** The fleet refused a request. Branch on `status` and `code`; `message` is for people. */
export class FleetError extends Error {
  override readonly name: string = 'FleetError';
  /** 0 when there was no response. */
  readonly status: number;
  /** The fleet's error code, such as `validation_error`; `http_<status>` for a response without one. */
  readonly code: string;
  /** Finds the request in the logs of the fleet. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The invalid fields of a `validation_error`, else empty. */
  readonly fields: readonly FieldError[];
  /** The body: JSON if it was, else text. */
  readonly body: unknown;
  /** For its headers; undefined without a response. */
  readonly response: Response | undefined;

  constructor(message: string, options: FleetErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.status = options.status ?? 0;
    this.code = options.code ?? (this.status === 0 ? 'unavailable' : `http_${this.status}`);
    this.requestId = options.requestId;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.body = options.body;
    this.response = options.response;
    this.fields = fieldsOf(options.body);
  }
}

/** No usable response: no connection, no response in time, one that is not the fleet's, or 502, 503 or 504. */
export class FleetUnavailableError extends FleetError {
  override readonly name = 'FleetUnavailableError';
}

/** The error of a response that is not a success. `body` is its text. */
export function toFleetError(response: Response, text: string): FleetError {
  const { status, headers } = response;
  const body = parseBody(text);
  const { error, detail, message, error_description: description } = isObject(body) ? body : ({} as Body);
  const options = {
    status,
    code: typeof error === 'string' ? error : (CODES[status] ?? undefined),
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfterOf(headers),
    body,
    response: rebuild(response, text),
  };
  if (status < 400) return new FleetError(redirectMessage(status, headers), options);
  const fields = fieldsOf(body).map(({ path, message }) => `${path} ${message}`);
  const reason = fields.join(', ') || detail || message || description;
  const shown = reason ? `${status}: ${String(reason).slice(0, SHOWN_CHARACTERS)}` : `status ${status}`;
  return [502, 503, 504].includes(status) ? new FleetUnavailableError(shown, options) : new FleetError(shown, options);
}

/** A response whose body can still be read; undefined for an opaque redirect, as browsers have it. */
function rebuild({ status, statusText, headers }: Response, text: string): Response | undefined {
  return status === 0 ? undefined : new Response(text || null, { status, statusText, headers });
}

/** The error for a call of `fetch` that threw: it says `fetch failed`, with the reason as its cause. */
export function toNetworkError(error: unknown): FleetUnavailableError {
  const { cause = error } = error as { cause?: unknown };
  // An error of several addresses has no message, only a code.
  const { message, code } = cause as { message?: string; code?: string };
  return new FleetUnavailableError(message || code || String(error), { cause: error });
}

type Body = Record<string, unknown>;

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null;
}

/** JSON as its value, else the text. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function fieldsOf(body: unknown): FieldError[] {
  const details = isObject(body) ? body.details : undefined;
  const fields = isObject(details) ? details.fields : undefined;
  return Array.isArray(fields) ? fields.filter(isObject).map((field) => field as unknown as FieldError) : [];
}

/** A redirect is not followed: that would send the credentials to another server. */
function redirectMessage(status: number, headers: Headers): string {
  if (status === 304) return 'not modified';
  return status === 0 ? 'redirect' : `redirect ${status} to ${headers.get('location') ?? 'nowhere'}`;
}

/** Seconds only: a date would depend on this machine's clock. */
function retryAfterOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS) : undefined;
}
