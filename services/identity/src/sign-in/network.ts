import { isIPv6 } from 'node:net';

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** Groups clients for limits: an IPv4 address, or the /64 network of an IPv6 client (RFC 4291 section 2.5.4). */
export function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [plain = ''] = address.split('%');
  // The canonical form, and without a dotted IPv4 address at its end.
  const [start = '', end] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [toGroups(start), toGroups(end ?? '')];
  const zeros = Array<string>(GROUPS - first.length - last.length).fill('0');
  const network = [...first, ...zeros, ...last].slice(0, NETWORK_GROUPS);
  return `${network.join(':')}::/64`;
}

function toGroups(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
