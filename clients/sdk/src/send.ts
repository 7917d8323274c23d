import { backoffMs, sleep } from './backoff.ts';
import { FleetError, FleetUnavailableError, toFleetError, toNetworkError } from './errors.ts';
import { assertHeader, type Settings, type TokenSource } from './options.ts';

/** A request that can be sent more than once. */
export interface Outgoing {
  method: string;
  url: string;
  headers: Headers;
  body?: ArrayBuffer;
}

/** Limits of one call. */
export interface Limits {
  signal?: AbortSignal;
  /** Of all attempts together, with the body of the response. */
  timeoutMs: number;
  retries: number;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
const TEMPORARY = new Set([408, 429, 502, 503, 504]);
/** Codes of Node for requests that never left this machine. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Sends a request and resolves with a success and its whole body. It is retried while the fleet is unavailable, if
 * that is safe: GET, HEAD, PUT, DELETE, and POST with an `Idempotency-Key`; any other POST after 429, or if it was not
 * sent. @throws FleetError, or the signal's reason
 */
export async function send(settings: Settings, request: Request, limits: Limits): Promise<Response> {
  const outgoing = await toOutgoing(request);
  const deadline = performance.now() + limits.timeoutMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await exchange(settings, outgoing, attempt, deadline, limits);
    } catch (error) {
      limits.signal?.throwIfAborted();
      if (attempt > limits.retries || !mayRetry(outgoing, error)) throw error;
      const delayMs = backoffMs(attempt, (error as FleetError).retryAfterSeconds);
      if (performance.now() + delayMs >= deadline) throw error;
      await sleep(delayMs, limits.signal);
    }
  }
}

/** Whether an error says that the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  return error instanceof FleetUnavailableError || (error instanceof FleetError && TEMPORARY.has(error.status));
}

export async function toOutgoing(request: Request): Promise<Outgoing> {
  const { method, url, headers, body } = request;
  return { method, url, headers: new Headers(headers), ...(body && { body: await request.arrayBuffer() }) };
}

/**
 * Sends a request once, and again with another token if the function of the token has one after a 401. Resolves with a
 * success whose body is still unread. @throws FleetError, signal's reason
 */
export async function sendOnce(
  settings: Settings,
  outgoing: Outgoing,
  attempt: number,
  signal: AbortSignal,
): Promise<Response> {
  const token = await authenticate(settings, outgoing.headers);
  let response = await request(settings, outgoing, attempt, signal);
  const isRefused = response.status === 401 && typeof settings.token === 'function';
  if (isRefused && (await authenticate(settings, outgoing.headers, token)) !== token) {
    await response.body?.cancel();
    response = await request(settings, outgoing, attempt, signal);
  }
  if (response.ok) return response;
  throw toFleetError(response, await readBody(response.text(), signal));
}

async function request(
  settings: Settings,
  { method, url, headers, body }: Outgoing,
  attempt: number,
  signal: AbortSignal,
): Promise<Response> {
  const sentAt = performance.now();
  const log = (result: { status?: number; requestId?: string; error?: string }) =>
    settings.onRequest({ method, url, attempt, durationMs: performance.now() - sentAt, ...result });
  try {
    // Following a redirect would send the credentials to another server.
    const response = await settings.fetch(url, { method, headers, body, redirect: 'manual', signal });
    log({ status: response.status, requestId: response.headers.get('x-request-id') ?? undefined });
    return response;
  } catch (error) {
    const reason = signal.aborted ? signal.reason : toNetworkError(error);
    log({ error: reason instanceof Error ? reason.message : String(reason) });
    throw reason;
  }
}

async function exchange(
  settings: Settings,
  outgoing: Outgoing,
  attempt: number,
  deadline: number,
  { signal, timeoutMs }: Limits,
): Promise<Response> {
  // AbortSignal.any would leak on a signal that lives as long as a worker.
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const late = () => controller.abort(new FleetUnavailableError(`no response within ${timeoutMs / 1000} s`));
  const timer = setTimeout(late, Math.max(deadline - performance.now(), 0));
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  try {
    const response = await sendOnce(settings, outgoing, attempt, controller.signal);
    const bytes = await readBody(response.arrayBuffer(), controller.signal);
    const { status, statusText, headers } = response;
    return new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

async function readBody<T>(body: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await body;
  } catch (error) {
    throw signal.aborted ? signal.reason : toNetworkError(error);
  }
}

/** Returns the token, if there is one; with `refused` another one, if its function has one. */
async function authenticate(settings: Settings, headers: Headers, refused?: string): Promise<string | undefined> {
  const { apiKey, userAgent } = settings;
  const token = typeof settings.token === 'function' ? await freshToken(settings.token, refused) : settings.token;
  if (apiKey) headers.set('x-api-key', apiKey);
  if (token) headers.set('authorization', `Bearer ${token}`);
  if (userAgent) headers.set('user-agent', userAgent);
  return token;
}

async function freshToken(create: TokenSource, refused: string | undefined): Promise<string> {
  try {
    const token = await create(refused);
    assertHeader('token', token);
    return token;
  } catch (error) {
    if (error instanceof FleetError) throw error;
    throw new FleetUnavailableError(`failed to get a token: ${(error as Error)?.message ?? error}`, { cause: error });
  }
}

function mayRetry({ method, headers }: Outgoing, error: unknown): boolean {
  if (!isTemporary(error)) return false;
  if (SAFE_METHODS.has(method) || headers.has('idempotency-key')) return true;
  const { status, cause } = error as FleetError & { cause?: { code?: string } };
  return status === 429 || NOT_SENT.has(cause?.code ?? '');
}
