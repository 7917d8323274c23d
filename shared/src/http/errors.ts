import { redisErrorCause } from '../redis/errors.ts';

/** The closed list of `error` codes and their statuses (docs/contract.md "Errors"). */
const STATUS_BY_CODE = {
  validation_error: 400,
  forbidden: 403,
  quota_exceeded: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  task_not_editable: 409,
  task_not_cancellable: 409,
  task_not_ended: 409,
  task_ended: 409,
  task_not_running: 409,
  definitions_too_large: 409,
  too_many_requirement_sets: 409,
  input_not_accepted: 409,
  too_many_input_requests: 409,
  already_answered: 409,
  input_request_closed: 409,
  messages_not_supported: 409,
  too_many_messages: 409,
  nothing_to_wait_for: 409,
  bulk_action_ended: 409,
  lease_lost: 409,
  email_taken: 409,
  last_admin: 409,
  managed_by_environment: 409,
  idempotent_request_in_progress: 409,
  snapshot_gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  semantic_error: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  upstream_error: 502,
  overloaded: 503,
  unavailable: 503,
  upstream_timeout: 504,
} as const;

/** The meaning of errors that have a `detail` text instead of a code. */
const DETAIL_CODES: Record<number, string> = { 401: 'unauthenticated', 403: 'invalid_api_key', 404: 'not_found' };

/** A value of `error` in an error body. */
export type ErrorCode = keyof typeof STATUS_BY_CODE;

/** One invalid field of a request. `path` joins the keys with dots; `''` is the request as a whole. */
export interface FieldError {
  path: string;
  code: string;
  message: string;
}

interface HttpErrorOptions {
  fields?: FieldError[];
  /** Other `details` than invalid fields. */
  details?: Record<string, unknown>;
  headers?: Record<string, string>;
  cause?: unknown;
  rejectedBy?: string;
}

declare global {
  namespace Express {
    interface Locals {
      /** The error that the response reports. */
      error?: HttpError;
    }
  }
}

/** An error with its response: `body` is sent as JSON with `status` and `headers`. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;
  /** What refused the request, for logs and metrics, in letters and `_`: one of a few values. */
  readonly rejectedBy: string | undefined;

  constructor(status: number, body: Record<string, unknown>, message: string, options: HttpErrorOptions = {}) {
    const { stackTraceLimit } = Error;
    // Stack traces of client errors are not needed, and expensive under a flood of bad requests.
    if (status < 500) Error.stackTraceLimit = 0;
    super(message, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'HttpError';
    this.status = status;
    this.body = body;
    this.headers = options.headers ?? {};
    this.rejectedBy = options.rejectedBy;
  }
}

/** `{"error": code, "message", "details"?}` with the status that belongs to the code. */
export function httpError(code: ErrorCode, message: string, options: HttpErrorOptions = {}): HttpError {
  const found = options.fields ? { fields: options.fields } : options.details;
  const details = found && { details: found };
  return new HttpError(STATUS_BY_CODE[code], { error: code, message, ...details }, message, options);
}

/** 403 `forbidden`: the principal lacks the scope `required`. */
export function forbidden(required: string): HttpError {
  const message = `This needs the scope ${required}`;
  return httpError('forbidden', message, { details: { required }, rejectedBy: 'scope' });
}

/** 405 `method_not_allowed`, with `Allow`. */
export function methodNotAllowed(allow: string): HttpError {
  return httpError('method_not_allowed', `Allowed here: ${allow}`, { headers: { allow }, rejectedBy: 'method' });
}

/** `{"detail": text}`: the body of 401, of an API key's 403 and of the 404 of a record. */
export function detailError(status: 401 | 403 | 404, detail: string, headers: Record<string, string> = {}): HttpError {
  return new HttpError(status, { detail }, detail, { headers });
}

/** 400 `validation_error` naming each wrong field. */
export function validationError(fields: FieldError[]): HttpError {
  const [first] = fields;
  const others = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  const message = first ? `${first.path ? `${first.path}: ` : ''}${first.message}${others}` : 'Invalid request';
  return httpError('validation_error', message, { fields });
}

/** 422 `semantic_error` naming a field whose value is well formed but impossible. */
export function semanticError(field: FieldError): HttpError {
  return httpError('semantic_error', `${field.path}: ${field.message}`, { fields: [field] });
}

/** 503 `unavailable`: a dependency of this service is temporarily unavailable. `retryAfterSeconds` defaults to 1. */
export function unavailable(
  message: string,
  retryAfterSeconds = 1,
  cause?: unknown,
  rejectedBy = causeOf(cause),
): HttpError {
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return httpError('unavailable', message, { headers, cause, rejectedBy });
}

/** `redis_away` and so on, for an error of Redis. */
function causeOf(error: unknown): string | undefined {
  const cause = redisErrorCause(error);
  return cause && `redis_${cause}`;
}

/** 503 `overloaded`: too many requests; `Retry-After: 1`. */
export function overloaded(message: string, rejectedBy?: string): HttpError {
  return httpError('overloaded', message, { headers: { 'retry-after': '1' }, rejectedBy });
}

/** The error code; for an error with a `detail` text, its meaning. */
export function codeOf({ body, status }: HttpError): string {
  return typeof body.error === 'string' ? body.error : (DETAIL_CODES[status] ?? String(status));
}

/** 413 `payload_too_large`. */
export function tooLarge(maxBytes: number): HttpError {
  return httpError('payload_too_large', `The body is larger than ${maxBytes} bytes`);
}

/** 404 `not_found`: an unknown path. A missing agent, task, lease or skill has a `detailError` instead. */
export function notFound(): HttpError {
  return httpError('not_found', 'No such path', { rejectedBy: 'path' });
}

/** May be thrown anywhere while a request is handled; the response is 400 with its message. */
export class ValueError extends Error {
  override name = 'ValueError';
}

/** The client has disconnected before its request was complete: nobody gets a response, and nothing has failed. */
export class ClientGone extends Error {
  override name = 'ClientGone';
}
