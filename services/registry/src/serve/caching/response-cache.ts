import type { IncomingMessage, ServerResponse } from 'node:http';
import { REQUEST_ID_HEADER, requestIdFrom } from '@agent-fleet/shared/http/request-id';
import type { Request } from 'express';
import { negotiateCoding } from '../http/encoding.ts';
import { isNotModified } from '../http/send.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { createLruCache, type Kept } from './lru-cache.ts';

const MAX_KEY_LENGTH = 512;
/** Approximate size of a response without its body. */
const RESPONSE_BYTES = 2_000;
/** Set for each request. */
const NOT_KEPT: ReadonlySet<string> = new Set([REQUEST_ID_HEADER, 'connection', 'content-length']);
/** Headers of a 200 that a 304 omits. */
const OF_BODY: ReadonlySet<string> = new Set(['content-type', 'content-encoding']);

/** Holds the body, which may be replaced by a smaller encoding of the same content. */
interface Sent {
  body: Buffer;
}

interface CachedResponse extends Kept {
  etag: string;
  lastModified: number;
  /** Alternating names and values; the first value is set for each request. */
  notModified: string[];
  /** Undefined until a 200 was sent. The first two values are set for each request. */
  ok: { sent: Sent; headers: string[] } | undefined;
}

/**
 * Caches responses of the served snapshot by URL and content coding. They are sent without Express, which costs several
 * times as much as the response itself. A response is cached from its second request on.
 */
export class ResponseCache {
  #served: object | undefined;
  readonly #responses = createLruCache<CachedResponse>();
  readonly #doorkeeper = new Doorkeeper();

  /** Clears the cache; from now on it only holds responses of this snapshot. */
  reset(served: object): void {
    this.#served = served;
    this.#responses.clear();
    this.#doorkeeper.clear();
  }

  /** Responds to a GET from the cache. Returns false on a miss. `isAllowed` is only called on a hit. */
  respond(req: IncomingMessage, res: ServerResponse, isAllowed: (req: IncomingMessage) => boolean): boolean {
    if (req.method !== 'GET') return false;
    const response = this.#responses.get(toKey(req, req.url as string));
    if (response === undefined || !isAllowed(req)) return false;
    const requestId = requestIdFrom(req.headers[REQUEST_ID_HEADER]);
    if (isNotModified(req, response)) {
      response.notModified[1] = requestId;
      res.writeHead(304, response.notModified).end();
      return true;
    }
    if (response.ok === undefined) return false;
    const { sent, headers } = response.ok;
    headers[1] = requestId;
    headers[3] = String(sent.body.length);
    res.writeHead(200, headers).end(sent.body);
    return true;
  }

  /**
   * Stores a response that was just sent. `sent` has the body of a 200 and is undefined for a 304; `bytes` is the
   * memory that the entry keeps alive.
   */
  store(served: object, req: Request, res: ServerResponse, sent: Sent | undefined, bytes = 0): void {
    if (req.method !== 'GET' || served !== this.#served) return;
    const key = toKey(req, req.originalUrl);
    if (key.length > MAX_KEY_LENGTH) return;
    const known = this.#responses.get(key);
    if (known === undefined ? !this.#doorkeeper.admits(key) : sent === undefined || known.ok !== undefined) return;
    const headers = headersOf(res);
    this.#responses.set(key, {
      etag: String(res.getHeader('etag')),
      lastModified: Date.parse(String(res.getHeader('last-modified'))),
      notModified: [REQUEST_ID_HEADER, '', ...headers.filter(([name]) => !OF_BODY.has(name)).flat()],
      ok: sent && { sent, headers: [REQUEST_ID_HEADER, '', 'content-length', '', ...headers.flat()] },
      bytes: RESPONSE_BYTES + bytes,
    });
  }
}

function toKey(req: IncomingMessage, url: string): string {
  return `${negotiateCoding(req)} ${url}`;
}

function headersOf(res: ServerResponse): [string, string][] {
  const names = res.getHeaderNames().filter((name) => !NOT_KEPT.has(name));
  return names.map((name) => [name, String(res.getHeader(name))]);
}
