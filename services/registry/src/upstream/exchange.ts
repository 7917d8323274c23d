import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import fetch, { isRedirect, type Response } from 'node-fetch';
import { isInternalAddress, watchedLookup } from './addresses.ts';
import { UpstreamError } from './errors.ts';

const MAX_REDIRECTS = 3;

/**
 * One GET. At most three redirects are followed, to http or https, never from https to http, and never from a public address to one of
 * this machine or its network.
 * @throws UpstreamError `unreachable`, `http_status`, `redirect`
 */
export async function exchange(
  url: URL,
  conditions: Record<string, string>,
  signal: AbortSignal,
  isInternal = isInternalAddress,
): Promise<Response | 'not modified'> {
  let target = url;
  let mayBeInternal = true;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const watch = watchAddresses(target, isInternal, mayBeInternal);
    const response = await request(target, { ...requestHeaders(target, url), ...conditions }, watch, signal);
    if (response.status === 200) return response;
    abandon(response);
    if (response.status === 304 && Object.keys(conditions).length > 0) return 'not modified';
    if (!isRedirect(response.status)) {
      throw new UpstreamError('http_status', `${target.host} answered with status ${response.status}`);
    }
    mayBeInternal &&= watch.sawInternal;
    target = toRedirectTarget(target, response.headers.get('location'));
  }
  throw new UpstreamError('redirect', `More than ${MAX_REDIRECTS} redirects`);
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
    throw new UpstreamError('unreachable', `${target.host} cannot be reached${code ? ` (${code})` : ''}`, error);
  }
}

interface AddressWatch {
  lookup: LookupFunction;
  sawInternal: boolean;
  refused?: UpstreamError;
}

/**
 * Sees the addresses of a request's host, whether they come from DNS or are written in the URL.
 * @throws UpstreamError `redirect` when one in the URL is refused
 */
function watchAddresses(target: URL, isInternal: (address: string) => boolean, mayBeInternal: boolean): AddressWatch {
  const watch: AddressWatch = { lookup: watchedLookup(see), sawInternal: false };
  function see(addresses: string[]): UpstreamError | undefined {
    watch.sawInternal = addresses.some(isInternal);
    if (watch.sawInternal && !mayBeInternal) {
      watch.refused = new UpstreamError('redirect', `Redirected to ${target.host}, an address of an internal network`);
    }
    return watch.refused;
  }
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const refused = isIP(host) ? see([host]) : undefined;
  if (refused) throw refused;
  return watch;
}

/** node-fetch refuses URLs that hold a user name and password; they are for the configured host alone. */
function requestHeaders(target: URL, origin: URL): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json, */*;q=0.5',
    'accept-encoding': 'gzip, br',
    'user-agent': 'agent-fleet-registry/1.0',
  };
  if (origin.username && target.origin === origin.origin) {
    const pair = `${decodeURIComponent(origin.username)}:${decodeURIComponent(origin.password)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return headers;
}

function withoutCredentials(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

/** @throws UpstreamError `redirect` */
export function toRedirectTarget(from: URL, location: string | null): URL {
  const to = location === null ? null : URL.parse(location, from);
  if (to === null) throw new UpstreamError('redirect', `${from.host} redirects without a valid address`);
  if (to.protocol !== 'http:' && to.protocol !== 'https:') {
    throw new UpstreamError('redirect', `${from.host} redirects to an address that is not http or https`);
  }
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new UpstreamError('redirect', `${from.host} redirects from https to http`);
  }
  return to;
}

/** Ends a body that nobody reads (any more); node-fetch throws into it should the deadline pass later. */
export function abandon(response: Response): void {
  const body = response.body as (NodeJS.ReadableStream & { destroy(): void }) | null;
  body?.on('error', () => {});
  body?.destroy();
}
