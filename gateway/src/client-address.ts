import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6, type Socket } from 'node:net';
import type { RequestHandler } from 'express';

const MAPPED = /^::ffff:(?=\d+\.)/i;
/** Longer than any real chain; each hop costs one look-up. */
const MAX_HOPS = 16;

export interface ClientAddresses {
  /** The client's address: the peer's, or that of `X-Forwarded-For`, read from its end, behind trusted proxies. */
  of(req: Pick<IncomingMessage, 'socket' | 'headers'>): string;
  /** `X-Forwarded-Proto` of a trusted proxy. */
  protocolOf(req: Pick<IncomingMessage, 'socket' | 'headers'>): 'http' | 'https' | undefined;
  /** Whether an address belongs to a trusted proxy. */
  isTrusted(address: string): boolean;
}

interface Peer {
  address: string;
  isTrusted: boolean;
}

/** `trusted`: addresses of load balancers that set `X-Forwarded-*`; these headers of others are ignored. */
export function createClientAddresses(trusted: BlockList): ClientAddresses {
  const peers = new WeakMap<Socket, Peer>();
  const isTrusted = (address: string) => trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

  function peerOf(socket: Socket): Peer {
    const known = peers.get(socket);
    if (known) return known;
    const address = toPlain(socket.remoteAddress ?? '');
    const peer = { address, isTrusted: isIP(address) !== 0 && isTrusted(address) };
    peers.set(socket, peer);
    return peer;
  }

  return {
    of({ socket, headers }) {
      const peer = peerOf(socket);
      const forwarded = peer.isTrusted ? headers['x-forwarded-for'] : undefined;
      return forwarded === undefined ? peer.address : clientIn(String(forwarded), peer.address, isTrusted);
    },
    protocolOf({ socket, headers }) {
      const protocol = headers['x-forwarded-proto'];
      if ((protocol !== 'http' && protocol !== 'https') || !peerOf(socket).isTrusted) return undefined;
      return protocol;
    },
    isTrusted: (address) => {
      const plain = toPlain(address);
      return isIP(plain) !== 0 && isTrusted(plain);
    },
  };
}

/** The last address that is not a trusted proxy; anyone may have written the ones before it. */
function clientIn(forwarded: string, peer: string, isTrusted: (address: string) => boolean): string {
  const hops = forwarded.split(',').slice(-MAX_HOPS);
  let client = peer;
  for (let at = hops.length - 1; at >= 0; at--) {
    const hop = toPlain((hops[at] as string).trim());
    if (isIP(hop) === 0) break;
    client = hop;
    if (!isTrusted(hop)) break;
  }
  return client;
}

/** On a dual-stack socket, an IPv4 client has an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2). */
function toPlain(address: string): string {
  return address.replace(MAPPED, '');
}

/** Sets `res.locals.clientAddress` and `clientProtocol`. */
export function identifyClient(clients: ClientAddresses): RequestHandler {
  return (req, res, next) => {
    res.locals.clientAddress = clients.of(req);
    if (req.headers['x-forwarded-proto'] !== undefined) res.locals.clientProtocol = clients.protocolOf(req);
    next();
  };
}

/** Groups clients for limits: an IPv4 address, or the /64 network of an IPv6 client (RFC 4291 section 2.5.4). */
export function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('%', 1).join('').split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** Reads `TRUSTED_PROXIES`: a comma list of IP addresses and CIDR ranges. @throws Error for anything else */
export function parseTrustedProxies(list: string): BlockList {
  const trusted = new BlockList();
  for (const entry of list.split(',').map((each) => each.trim())) {
    if (entry !== '') addRange(trusted, entry);
  }
  return trusted;
}

function addRange(trusted: BlockList, entry: string): void {
  const [address = '', bits, ...more] = entry.split('/');
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  const max = family === 'ipv4' ? 32 : 128;
  const isRange = isIP(address) !== 0 && more.length === 0 && /^(?:\d{1,3})?$/.test(bits ?? '') && bits !== '';
  if (!isRange || Number(bits ?? max) > max) throw new Error('must be a comma list of IP addresses and CIDR ranges');
  trusted.addSubnet(address, Number(bits ?? max), family);
}
