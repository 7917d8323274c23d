import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import fetch, { isRedirect, type Response } from 'node-fetch';
import { UpstreamError } from '../source/errors.ts';
import { type AddressWatch, watchAddresses } from './addresses.ts';
import { toRetryAfterMs } from './freshness.ts';

const MAX_REDIRECTS = 3;

export interface Request {
  url: URL;
  /** Its user name and password are sent, only to its own origin. */
  credentials: URL;
  /** `if-none-match` and `if-modified-since`, if a 304 is allowed. */
  conditions: Record<string, string>;
  /** Whether the URL may have an internal address. */
  mayBeInternal: boolean;
  isInternal(address: string): boolean;
}

export interface UpstreamResponse {
  status: 200 | 304;
  /** Has to be read or abandoned; the body of a 304 is abandoned already. */
  response: Response;
  /** The final URL. */
  url: URL;
  /** Whether it has an internal address: only then may the file refer to internal addresses. */
  isInternal: boolean;
}

/**
 * Sends a GET. Follows at most three redirects to http or https, never from https to http, and never from a public to
 * an internal address.
 * @throws UpstreamError `unreachable`, `http_status`, `rate_limited`, `redirect`, `private_address`
 */
export async function exchange(target: Request, signal: AbortSignal): Promise<UpstreamResponse> {
  let { url, mayBeInternal } = target;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const watch = watchAddresses(url, target.isInternal, mayBeInternal);
    const response = await request(url, { ...toHeaders(url, target.credentials), ...target.conditions }, watch, signal);
    const { status } = response;
    mayBeInternal &&= watch.sawInternal;
    if (status === 200) return { status, response, url, isInternal: mayBeInternal };
    abandon(response);
    if (status === 304 && Object.keys(target.conditions).length > 0) {
      return { status, response, url, isInternal: mayBeInternal };
    }
    if (!isRedirect(status)) throw toStatusError(url, response);
    url = toRedirectTarget(url, response.headers.get('location'));
  }
  throw new UpstreamError('redirect', `More than ${MAX_REDIRECTS} redirects`);
}

function toStatusError({ host }: URL, { status, headers }: Response): UpstreamError {
  const code = status === 429 ? 'rate_limited' : 'http_status';
  const message = `${host} responded with status ${status}`;
  return new UpstreamError(code, message, undefined, toRetryAfterMs(headers), status);
}

async function request(
  target: URL,
  headers: Record<string, string>,
  watch: AddressWatch,
  signal: AbortSignal,
): Promise<Response> {
  const Agent = target.protocol === 'https:' ? HttpsAgent : HttpAgent;
  try {
    return await fetch(withoutCredentials(target), {
      agent: new Agent({ lookup: watch.lookup }),
      headers,
      signal,
      redirect: 'manual',
      // We decompress ourselves: node-fetch accepts a truncated gzip body as complete.
      compress: false,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    if (watch.refused) throw watch.refused;
    const { code } = error as NodeJS.ErrnoException;
    // Without the cause: its message contains the whole URL, which may contain a secret.
    throw new UpstreamError('unreachable', `${target.host} cannot be reached${code ? ` (${code})` : ''}`);
  }
}

/** node-fetch refuses URLs with credentials. They are sent only to the configured origin. */
function toHeaders(target: URL, credentials: URL): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json, */*;q=0.5',
    'accept-encoding': 'gzip, br',
    'user-agent': 'agent-fleet-registry/1.0',
  };
  if ((credentials.username || credentials.password) && target.origin === credentials.origin) {
    const pair = `${decodeURIComponent(credentials.username)}:${decodeURIComponent(credentials.password)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return headers;
}

/** A copy that is safe to store and to pass to node-fetch. */
export function withoutCredentials(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

/** @throws UpstreamError `redirect` */
export function toRedirectTarget(from: URL, location: string | null): URL {
  const to = location === null ? null : URL.parse(location, from);
  if (to === null) throw new UpstreamError('redirect', `${from.host} redirects without a valid URL`);
  const why = whyNotFollowed(from, to);
  if (why) throw new UpstreamError('redirect', `${from.host} redirects ${why}`);
  return to;
}

/** Why a redirect or reference is not followed; undefined when it is. */
export function whyNotFollowed(from: URL, to: URL): string | undefined {
  if (to.protocol !== 'http:' && to.protocol !== 'https:') return 'to a URL that is not http or https';
  return from.protocol === 'https:' && to.protocol === 'http:' ? 'from https to http' : undefined;
}

/** Discards a body. The error handler is needed as node-fetch throws into it if the deadline passes later. */
export function abandon(response: Response): void {
  const body = response.body as (NodeJS.ReadableStream & { destroy(): void }) | null;
  body?.on('error', () => {});
  body?.destroy();
}
