import type { IncomingMessage, ServerResponse } from 'node:http';
import { REQUEST_ID_HEADER, requestIdFrom } from '@agent-fleet/shared/http/request-id';
import type { Request } from 'express';
import { Doorkeeper } from './doorkeeper.ts';
import { negotiateCoding } from './encoding.ts';
import { createLruCache, type Kept } from './lru-cache.ts';
import { isNotModified } from './send.ts';

const MAX_KEY_LENGTH = 512;
/** An answer without its body, about. */
const RESPONSE_BYTES = 2_000;
/** Of each request its own, or told anew each time. */
const NOT_KEPT: ReadonlySet<string> = new Set([REQUEST_ID_HEADER, 'connection', 'content-length']);
/** What a 200 says of its body, and a 304 does not. */
const OF_BODY: ReadonlySet<string> = new Set(['content-type', 'content-encoding']);

/** Where the bytes are: they may be replaced by fewer that say the same. */
interface Sent {
  body: Buffer;
}

interface CachedResponse extends Kept {
  etag: string;
  lastModified: number;
  /** Names and values in turn; the first value is put in for each request. */
  notModified: string[];
  /** Unknown until a 200 was sent. The first two values are put in for each request. */
  ok: { sent: Sent; headers: string[] } | undefined;
}

/**
 * Answers as they were given for a URL and a coding, of the snapshot that is served, to be given again without going through the
 * application: that costs several times as much as they do. An answer is taken from the second time on that it is asked for.
 */
export class ResponseCache {
  #served: object | undefined;
  readonly #responses = createLruCache<CachedResponse>();
  readonly #doorkeeper = new Doorkeeper();

  /** From now on answers of this snapshot are given, and no others. */
  reset(served: object): void {
    this.#served = served;
    this.#responses.clear();
    this.#doorkeeper.clear();
  }

  /** Answers a GET as it was answered before; false where it was not, and nothing is done. `isAllowed` is asked before an answer only. */
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
   * Takes over an answer of a snapshot that was just given. `sent` has the body of a 200 and is undefined for a 304; `bytes` are what
   * is kept for its sake.
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
