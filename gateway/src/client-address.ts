import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6, type Socket } from 'node:net';
import type { RequestHandler } from 'express';

declare global {
  namespace Express {
    interface Locals {
      /** Whose request it is, as an IP address: never what the client says of itself. */
      clientAddress?: string;
      /** What the client speaks to the first of the trusted proxies, where they say so. */
      clientProtocol?: 'http' | 'https';
    }
  }
}

const MAPPED = /^::ffff:(?=\d+\.)/i;
/** Longer chains than any real one; each hop is one look-up. */
const MAX_HOPS = 16;

export interface ClientAddresses {
  /** The address of the client: the peer's, or what the trusted proxies before it say in `X-Forwarded-For`, read from its end. */
  of(req: Pick<IncomingMessage, 'socket' | 'headers'>): string;
  /** What a trusted proxy says in `X-Forwarded-Proto`. */
  protocolOf(req: Pick<IncomingMessage, 'socket' | 'headers'>): 'http' | 'https' | undefined;
  /** Whether a peer is one of the proxies. */
  isTrusted(address: string): boolean;
}

interface Peer {
  address: string;
  isTrusted: boolean;
}

/** `trusted`: the addresses of load balancers that set `X-Forwarded-*` themselves; nobody else is believed. */
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

/** The last address that is no proxy; what stands before it anyone may have written. */
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

/** An IPv4 client of a dual-stack socket has an IPv6 address made of its own (RFC 4291 section 2.5.5.2). */
function toPlain(address: string): string {
  return address.replace(MAPPED, '');
}

/** Leaves what is known of the client for those that come after it. */
export function identifyClient(clients: ClientAddresses): RequestHandler {
  return (req, res, next) => {
    res.locals.clientAddress = clients.of(req);
    if (req.headers['x-forwarded-proto'] !== undefined) res.locals.clientProtocol = clients.protocolOf(req);
    next();
  };
}

/** Who shares a limit: an IPv4 address, or the /64 that an IPv6 client has all of (RFC 4291 section 2.5.4). */
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
