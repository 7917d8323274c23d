import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { splitList } from '@agent-fleet/shared/comma-list';
import type { RequestHandler } from 'express';

declare global {
  namespace Express {
    interface Locals {
      /** The client's IP address; `X-Forwarded-For` counts only from trusted proxies. */
      clientAddress?: string;
      /** The protocol of the client, as `PUBLIC_URL` or a trusted proxy says. */
      clientProtocol?: 'http' | 'https';
      /** The host of the client's request, as `PUBLIC_URL` or a trusted proxy says. */
      clientHost?: string;
      /** What a proxy removes from the paths of the client, as `PUBLIC_URL` says, such as `/fleet`. */
      clientPrefix?: string;
    }
  }
}

const MAPPED = /^::ffff:(?=\d+\.)/i;
/** Longer than any real chain; each hop costs one look-up. */
const MAX_HOPS = 16;

const PUBLIC_URL = /^(https?):\/\/[\w.:[\]-]+((?:\/[\w.~-]+)*)\/?$/;

type Received = Pick<IncomingMessage, 'socket' | 'headers'>;

/** Where browsers find the gateway. */
type PublicUrl = Required<Pick<Express.Locals, 'clientProtocol' | 'clientHost' | 'clientPrefix'>>;

/** Sets the `client…` of `res.locals`; `X-Forwarded-*` counts only from `trusted` ones, and less than `publicUrl`. */
export function identifyClient(trusted: BlockList, publicUrl?: PublicUrl): RequestHandler {
  return (req, res, next) => {
    const { locals } = res;
    locals.clientAddress = clientAddressOf(req, trusted);
    const { 'x-forwarded-proto': protocol, 'x-forwarded-host': host } = req.headers;
    if (publicUrl) {
      Object.assign(locals, publicUrl);
    } else if (protocol !== undefined || host !== undefined) {
      locals.clientProtocol = clientProtocolOf(req, trusted);
      locals.clientHost = clientHostOf(req, trusted);
    }
    next();
  };
}

/** The client's address: the peer's, or that of `X-Forwarded-For`, read from its end, behind trusted proxies. */
export function clientAddressOf({ socket, headers }: Received, trusted: BlockList): string {
  const peer = toPlainAddress(socket.remoteAddress ?? '');
  const forwarded = headers['x-forwarded-for'];
  return forwarded === undefined || !isIn(trusted, peer) ? peer : clientIn(String(forwarded), peer, trusted);
}

/** `X-Forwarded-Proto` of a trusted proxy. */
export function clientProtocolOf({ socket, headers }: Received, trusted: BlockList): 'http' | 'https' | undefined {
  const protocol = headers['x-forwarded-proto'];
  if (protocol !== 'http' && protocol !== 'https') return undefined;
  return isIn(trusted, toPlainAddress(socket.remoteAddress ?? '')) ? protocol : undefined;
}

/** `X-Forwarded-Host` of a trusted proxy. Of several, which proxies append, the first was sent by the client. */
export function clientHostOf({ socket, headers }: Received, trusted: BlockList): string | undefined {
  const host = headers['x-forwarded-host'];
  if (host === undefined || !isIn(trusted, toPlainAddress(socket.remoteAddress ?? ''))) return undefined;
  return String(host).split(',').at(-1)?.trim();
}

/** Reads `PUBLIC_URL`. @throws Error for anything but an address of http or https with a plain path */
export function parsePublicUrl(text: string): PublicUrl {
  const { href, host = '' } = URL.parse(text) ?? {};
  const [, protocol, clientPrefix = ''] = PUBLIC_URL.exec(href ?? '') ?? [];
  if (protocol === undefined) throw new Error('must be an address such as https://example.com/fleet');
  return { clientProtocol: protocol as 'http' | 'https', clientHost: host, clientPrefix };
}

/** The last address that is not a trusted proxy; anyone may have written the ones before it. */
function clientIn(forwarded: string, peer: string, trusted: BlockList): string {
  let client = peer;
  for (const hop of forwarded.split(',').slice(-MAX_HOPS).reverse()) {
    const address = toPlainAddress(hop.trim());
    if (isIP(address) === 0) break;
    client = address;
    if (!isIn(trusted, address)) break;
  }
  return client;
}

/** On a dual-stack socket, an IPv4 client has an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2). */
export function toPlainAddress(address: string): string {
  return address.replace(MAPPED, '');
}

export function isIn(addresses: BlockList, address: string): boolean {
  return isIP(address) !== 0 && addresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Reads `TRUSTED_PROXIES`: a comma-separated list of IP addresses and CIDR ranges. @throws Error for anything else */
export function parseTrustedProxies(list: string): BlockList {
  const trusted = new BlockList();
  for (const entry of splitList(list)) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const version = isIP(address);
    const max = version === 6 ? 128 : 32;
    if (version === 0 || Number(bits ?? max) > max) {
      throw new Error('must be a comma-separated list of IP addresses and CIDR ranges');
    }
    trusted.addSubnet(address, Number(bits ?? max), version === 6 ? 'ipv6' : 'ipv4');
  }
  return trusted;
}
