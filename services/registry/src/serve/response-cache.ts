import type { IncomingMessage, ServerResponse } from 'node:http';
import { REQUEST_ID_HEADER, requestIdFrom } from '@agent-fleet/shared/http/request-id';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { negotiateCoding } from './http/encoding.ts';
import { isNotModified } from './http/validators.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_ENTRIES = 2_000;
const MAX_ENTRY_BYTES = 1024 * 1024;
const MAX_KEY_LENGTH = 512;
/** Approximate size of a response without its body. */
const RESPONSE_BYTES = 2_000;
/** Set for each request. */
const NOT_KEPT: ReadonlySet<string> = new Set([REQUEST_ID_HEADER, 'connection']);
/** Headers of a 200 that a 304 omits. */
const OF_BODY: ReadonlySet<string> = new Set(['content-type', 'content-encoding', 'content-length']);

/** Every cached value states its size in bytes. */
export interface Kept {
  bytes: number;
}

interface CachedResponse extends Kept {
  etag: string;
  lastModified: number;
  /** Alternating names and values; the first value is set for each request. */
  notModified: string[];
  /** Undefined until a 200 was sent. The first value of the headers is set for each request. */
  ok: { body: Buffer; headers: string[] } | undefined;
}

interface Computation {
  value: Promise<Kept>;
  /** Whether it was requested more than once. */
  isWanted: boolean;
}

/**
 * An LRU cache of the served snapshot with two kinds of entries: responses by URL and content coding, which are sent
 * without Express, and the results that responses are made of. A key is admitted at its second request, so that a
 * crawler evicts nothing: after the doorkeeper of TinyLFU (Einziger, Friedman and Manes, 2017), with an exact set of
 * keys in place of a Bloom filter.
 */
export class ResponseCache {
  /** Requests answered without Express. */
  hits = 0;
  #served: object | undefined;
  readonly #entries = new LRUCache<string, Kept>({
    max: MAX_ENTRIES,
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_ENTRY_BYTES,
    // lru-cache requires a size above 0.
    sizeCalculation: ({ bytes }) => Math.max(bytes, 1),
  });
  readonly #requestedOnce = new LRUCache<string, true>({ max: MAX_ENTRIES });
  readonly #computations = new Map<string, Computation>();

  /** Clears the cache; from now on it only holds responses of this snapshot. */
  reset(served: object): void {
    this.#served = served;
    this.#entries.clear();
    this.#requestedOnce.clear();
    this.#computations.clear();
  }

  /** Responds to a GET from the cache. Returns false on a miss. `isAllowed` is only called on a hit. */
  respond(req: IncomingMessage, res: ServerResponse, isAllowed: (req: IncomingMessage) => boolean): boolean {
    if (req.method !== 'GET') return false;
    const response = this.#entries.get(toKey(req, req.url as string)) as CachedResponse | undefined;
    if (response === undefined || !isAllowed(req)) return false;
    const requestId = requestIdFrom(req.headers[REQUEST_ID_HEADER]);
    if (isNotModified(req, response)) {
      response.notModified[1] = requestId;
      res.writeHead(304, response.notModified).end();
      this.hits++;
      return true;
    }
    if (response.ok === undefined) return false;
    const { body, headers } = response.ok;
    headers[1] = requestId;
    res.writeHead(200, headers).end(body);
    this.hits++;
    return true;
  }

  /**
   * Stores a response that was just sent: the body of a 200, or undefined for a 304. `bytes` is the memory that the
   * entry keeps alive.
   */
  store(served: object, req: Request, res: ServerResponse, body: Buffer | undefined, bytes = 0): void {
    if (req.method !== 'GET' || served !== this.#served) return;
    const key = toKey(req, req.originalUrl);
    if (key.length > MAX_KEY_LENGTH) return;
    const known = this.#entries.get(key) as CachedResponse | undefined;
    if (known === undefined ? !this.#admits(key) : body === undefined || known.ok !== undefined) return;
    const headers = headersOf(res);
    const response: CachedResponse = {
      etag: String(res.getHeader('etag')),
      lastModified: Date.parse(String(res.getHeader('last-modified'))),
      notModified: [REQUEST_ID_HEADER, '', ...headers.filter(([name]) => !OF_BODY.has(name)).flat()],
      ok: body && { body, headers: [REQUEST_ID_HEADER, '', ...headers.flat()] },
      bytes: RESPONSE_BYTES + bytes,
    };
    this.#entries.set(key, response);
  }

  /**
   * The result of `compute` for this snapshot, from the cache if possible. Concurrent requests share one computation.
   * Each key has results of one type. Returns synchronously when the result is available synchronously.
   */
  result<Value extends Kept>(
    served: object,
    name: string,
    compute: () => Value | Promise<Value>,
  ): Value | Promise<Value> {
    if (served !== this.#served || name.length > MAX_KEY_LENGTH) return compute();
    const key = toResultKey(name);
    const known = this.#entries.get(key);
    if (known !== undefined) return known as Value;
    const running = this.#computations.get(key);
    if (running !== undefined) {
      running.isWanted = true;
      return running.value as Promise<Value>;
    }
    const isWanted = this.#admits(key);
    const value = compute();
    if (value instanceof Promise) this.#share(key, { value, isWanted });
    else if (isWanted) this.#entries.set(key, value);
    return value;
  }

  #share(key: string, computation: Computation): void {
    this.#computations.set(key, computation);
    // A computation of an earlier snapshot is no longer in the map.
    const isCurrent = () => this.#computations.get(key) === computation && this.#computations.delete(key);
    computation.value.then((value) => {
      if (isCurrent() && computation.isWanted) this.#entries.set(key, value);
    }, isCurrent);
  }

  /** Whether the key was requested before; if it was, it is forgotten. */
  #admits(key: string): boolean {
    if (this.#requestedOnce.delete(key)) return true;
    this.#requestedOnce.set(key, true);
    return false;
  }
}

/** Differs from all keys of results. */
function toKey(req: IncomingMessage, url: string): string {
  return `${negotiateCoding(req)} ${url}`;
}

function toResultKey(name: string): string {
  return `result ${name}`;
}

function headersOf(res: ServerResponse): [string, string][] {
  const names = res.getHeaderNames().filter((name) => !NOT_KEPT.has(name));
  return names.map((name) => [name, String(res.getHeader(name))]);
}
