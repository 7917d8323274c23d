import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Addresses that lead into the machine or its own network (RFC 6890 and its kin), which a stranger's redirect must not reach. */
const INTERNAL = new BlockList();
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  INTERNAL.addSubnet(address, prefix, 'ipv4');
}
for (const [address, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  INTERNAL.addSubnet(address, prefix, 'ipv6');
}

/** IPv4 addresses in IPv6 clothes count as what they are. */
export function isInternalAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && INTERNAL.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** A DNS lookup for one host that reports what it found and may refuse it; checked here, a name cannot change in between. */
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
