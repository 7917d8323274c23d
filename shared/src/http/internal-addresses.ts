import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

type Network = [address: string, prefix: number];

/** Internal and special-purpose IPv4 networks (RFC 6890 and later). */
const IPV4 = [
  ...networks('0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24'),
  ...networks('192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3'),
];
/** Within those that may be public: Teredo, ORCHID and similar, and documentation. */
const IPV6 = networks('2001::/23 2001:db8::/32 3fff::/20');
/** What may be public: RFC 4291 section 2.4, and NAT64 (RFC 6052). */
const MAYBE_PUBLIC_IPV6 = networks('2000::/3 64:ff9b::/96 ::ffff:0:0/96');

const internal = new BlockList();
for (const [address, prefix] of IPV4) {
  internal.addSubnet(address, prefix, 'ipv4');
  const [high, low] = toGroups(address);
  // 6to4 and NAT64 addresses embed an IPv4 address: they are internal if that one is.
  internal.addSubnet(`2002:${high}:${low}::`, 16 + prefix, 'ipv6');
  internal.addSubnet(`64:ff9b::${high}:${low}`, 96 + prefix, 'ipv6');
}
for (const [address, prefix] of IPV6) internal.addSubnet(address, prefix, 'ipv6');
const maybePublic = new BlockList();
for (const [address, prefix] of MAYBE_PUBLIC_IPV6) maybePublic.addSubnet(address, prefix, 'ipv6');

function networks(list: string): Network[] {
  return list.split(' ').map((network) => {
    const [address = '', prefix] = network.split('/');
    return [address, Number(prefix)];
  });
}

/** The two 16-bit groups of an IPv4 address, in hex. */
function toGroups(address: string): [string, string] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}

/**
 * Whether an IP address is not on the public internet: loopback, private, link-local or any other special block. Nobody
 * else's URL may send us there (SSRF). IPv4-mapped IPv6 addresses count as their IPv4 address.
 */
export function isInternalAddress(text: string): boolean {
  const address = text.replace(/%.*/, '');
  const family = isIP(address);
  if (family === 4) return internal.check(address, 'ipv4');
  return family === 6 && (internal.check(address, 'ipv6') || !maybePublic.check(address, 'ipv6'));
}

/**
 * A DNS lookup that gives the addresses of a name to `check`, which may refuse them with an error. The connection is
 * made to what was checked here, so that a second answer (DNS rebinding) is of no use.
 */
export function checkedLookup(check: (addresses: string[], hostname: string) => Error | undefined): LookupFunction {
  return (hostname, options: LookupOptions, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const [first] = found ?? [];
      if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), '', 0);
      const refused = check(
        found.map(({ address }) => address),
        hostname,
      );
      if (refused) return callback(refused, '', 0);
      if (options.all) return callback(null, found);
      callback(null, first.address, first.family);
    });
  };
}
