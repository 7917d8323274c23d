import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Benchmarks (RFC 2544): ipaddr.js has it as `unicast`. */
const IPV4_BENCHMARKING = ipaddr.IPv4.parseCIDR('198.18.0.0/15');
/** All of IPv6 that is assigned for public use (RFC 4291 section 2.4); `range()` does not know every reserved block. */
const IPV6_GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');
const IPV6_DOCUMENTATION = ipaddr.IPv6.parseCIDR('3fff::/20');

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
  const isPrivate = ipaddr.isValid(host) && !isPublicAddress(host);
  if (isPrivate && !allowInsecure) throw new Error(`must not name the private address ${host}`);
  return url;
}

/** Whether an address is on the public internet: not loopback, private, link-local, nor any other special block. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && !address.match(IPV4_BENCHMARKING);
  // NAT64 (RFC 6052): how a network without IPv4 reaches the IPv4 address in the last four bytes.
  if (address.range() === 'rfc6052') return isPublicAddress(address.toByteArray().slice(12).join('.'));
  return address.range() === 'unicast' && address.match(IPV6_GLOBAL) && !address.match(IPV6_DOCUMENTATION);
}

/**
 * A DNS lookup that fails when a name has an address that is not public. The connection is made to what was checked
 * here, so that a second answer (DNS rebinding) is of no use.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    const [first] = found ?? [];
    if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), '', 0);
    const refused = found.find(({ address }) => !isPublicAddress(address));
    if (refused) return callback(new Error(`${hostname} has the private address ${refused.address}`), '', 0);
    if (options.all) return callback(null, found);
    callback(null, first.address, first.family);
  });
};
