import { checkedLookup, isInternalAddress } from '@agent-fleet/shared/http/internal-addresses';

/**
 * Parses the URL of an issuer or of its keys.
 * @throws Error unless it is https and does not name a private address; http and private ones pass with `allowInsecure`
 */
export function parsePublicUrl(text: string, { allowInsecure }: { allowInsecure: boolean }): URL {
  const url = URL.parse(text);
  const isHttps = url?.protocol === 'https:' || (allowInsecure && url?.protocol === 'http:');
  if (!url || !isHttps) throw new Error(`must be ${allowInsecure ? 'an http:// or' : 'an'} https:// URL`);
  if (url.username || url.password || url.hash) throw new Error('must be a URL without credentials and fragment');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isInternalAddress(host) && !allowInsecure) throw new Error(`must not name the private address ${host}`);
  return url;
}

/** A DNS lookup that fails when a name has an address that is not public. */
export const lookupPublic = checkedLookup((addresses, hostname) => {
  const refused = addresses.find(isInternalAddress);
  return refused === undefined ? undefined : new Error(`${hostname} has the private address ${refused}`);
});
