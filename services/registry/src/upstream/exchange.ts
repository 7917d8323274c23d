import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import fetch, { isRedirect, type Response } from 'node-fetch';
import { type AddressWatch, watchAddresses } from './address-watch.ts';
import { UpstreamError } from './errors.ts';
import { toRetryAfterMs } from './freshness.ts';

const MAX_REDIRECTS = 3;

export interface Request {
  url: URL;
  /** Whose user name and password are sent, to this origin alone. */
  credentials: URL;
  /** `if-none-match` and `if-modified-since`, where the answer may be 304. */
  conditions: Record<string, string>;
  /** Whether the URL may lead to this machine or its network. */
  mayBeInternal: boolean;
  isInternal(address: string): boolean;
}

export interface Answer {
  status: 200 | 304;
  /** To be read or abandoned; that of a 304 is abandoned already. */
  response: Response;
  /** Where it came from in the end. */
  url: URL;
  /** Whether that is in this machine or its network: what is found there may lead there. */
  isInternal: boolean;
}

/**
 * One GET. At most three redirects are followed, to http or https, never from https to http, and never from a public address to one of
 * this machine or its network.
 * @throws UpstreamError `unreachable`, `http_status`, `rate_limited`, `redirect`, `private_address`
 */
export async function exchange(asked: Request, signal: AbortSignal): Promise<Answer> {
  let { url, mayBeInternal } = asked;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const watch = watchAddresses(url, asked.isInternal, mayBeInternal);
    const response = await request(url, { ...toHeaders(url, asked.credentials), ...asked.conditions }, watch, signal);
    const { status } = response;
    mayBeInternal &&= watch.sawInternal;
    if (status === 200) return { status, response, url, isInternal: mayBeInternal };
    abandon(response);
    if (status === 304 && Object.keys(asked.conditions).length > 0) {
      return { status, response, url, isInternal: mayBeInternal };
    }
    if (!isRedirect(status)) throw toStatusError(url, response);
    url = toRedirectTarget(url, response.headers.get('location'));
  }
  throw new UpstreamError('redirect', `More than ${MAX_REDIRECTS} redirects`);
}

function toStatusError({ host }: URL, { status, headers }: Response): UpstreamError {
  const code = status === 429 ? 'rate_limited' : 'http_status';
  return new UpstreamError(code, `${host} responded with status ${status}`, undefined, toRetryAfterMs(headers));
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
      // Decompressed by ourselves: node-fetch takes a truncated gzip body for a complete one.
      compress: false,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    if (watch.refused) throw watch.refused;
    const { code } = error as NodeJS.ErrnoException;
    // Without the cause: its message holds the whole address, and in it what may be a secret.
    throw new UpstreamError('unreachable', `${target.host} cannot be reached${code ? ` (${code})` : ''}`);
  }
}

/** node-fetch refuses URLs that hold a user name and password; they are for the configured host alone. */
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

/** A copy that can be kept or shown to node-fetch. */
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

/** What is wrong with the way from one address to another, in words; undefined when it may be gone. */
export function whyNotFollowed(from: URL, to: URL): string | undefined {
  if (to.protocol !== 'http:' && to.protocol !== 'https:') return 'to a URL that is not http or https';
  return from.protocol === 'https:' && to.protocol === 'http:' ? 'from https to http' : undefined;
}

/** Ends a body that nobody reads (any more); node-fetch throws into it should the deadline pass later. */
export function abandon(response: Response): void {
  const body = response.body as (NodeJS.ReadableStream & { destroy(): void }) | null;
  body?.on('error', () => {});
  body?.destroy();
}
