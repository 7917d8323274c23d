import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Groups clients for limits: an IPv4 address, or the /64 network of an IPv6 client (RFC 4291 section 2.5.4). */
export function toNetwork(address: string): string {
  return isIPv6(address) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64` : address;
}
