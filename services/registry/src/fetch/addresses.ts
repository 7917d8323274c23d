import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { UpstreamError } from '../source/errors.ts';

/** Internal and special-purpose addresses (RFC 6890 and later). Upstream must not send us there (SSRF). */
const INTERNAL = new BlockList();
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  INTERNAL.addSubnet(address, prefix, 'ipv4');
  const [high, low] = toGroups(address);
  // 6to4 and NAT64 addresses embed an IPv4 address: they are internal if that one is.
  INTERNAL.addSubnet(`2002:${high}:${low}::`, 16 + prefix, 'ipv6');
  INTERNAL.addSubnet(`64:ff9b::${high}:${low}`, 96 + prefix, 'ipv6');
}
for (const [address, prefix] of [
  // IPv4-compatible, loopback and unspecified.
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  // Teredo, ORCHID and similar.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  INTERNAL.addSubnet(address, prefix, 'ipv6');
}

/** The two 16-bit groups of an IPv4 address, in hex. */
function toGroups(address: string): [string, string] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}

/** IPv4-mapped IPv6 addresses count as their IPv4 address. */
export function isInternalAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && INTERNAL.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** The addresses seen for the host of one request. */
export interface AddressWatch {
  lookup: LookupFunction;
  sawInternal: boolean;
  refused?: UpstreamError;
}

/**
 * Checks the addresses of a request's host, from DNS or literal in the URL.
 * @throws UpstreamError `private_address` when the literal address in the URL is refused
 */
export function watchAddresses(
  target: URL,
  isInternal: (address: string) => boolean,
  mayBeInternal: boolean,
): AddressWatch {
  const watch: AddressWatch = { lookup: watchedLookup(see), sawInternal: false };
  function see(addresses: string[]): UpstreamError | undefined {
    watch.sawInternal = addresses.some(isInternal);
    if (watch.sawInternal && !mayBeInternal) {
      watch.refused = new UpstreamError('private_address', `${target.host} has an address of an internal network`);
    }
    return watch.refused;
  }
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const refused = isIP(host) ? see([host]) : undefined;
  if (refused) throw refused;
  return watch;
}

/** A DNS lookup that reports the addresses, which may be refused. Checking here prevents DNS rebinding. */
export function watchedLookup(onAddresses: (addresses: string[]) => Error | undefined): LookupFunction {
  return (hostname, options: LookupOptions, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, '', 0);
      const refused = onAddresses(found.map(({ address }) => address));
      if (refused) return callback(refused, '', 0);
      if (options.all) return callback(null, found);
      const [first] = found;
      callback(null, first?.address ?? '', first?.family ?? 4);
    });
  };
}
