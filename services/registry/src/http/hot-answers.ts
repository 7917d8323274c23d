import type { IncomingMessage, ServerResponse } from 'node:http';
import { REQUEST_ID_HEADER, requestIdFrom } from '@agent-fleet/shared/http/request-id';
import type { Request } from 'express';
import { isNotModified } from './answer.ts';
import { AskedOnce } from './asked-once.ts';
import { negotiateCoding } from './encoding.ts';
import { type Kept, RecentlyUsed } from './recently-used.ts';

const MAX_KEY_LENGTH = 512;
/** An answer without its body, about. */
const ANSWER_BYTES = 2_000;
/** Of each request its own, or told anew each time. */
const NOT_KEPT: ReadonlySet<string> = new Set([REQUEST_ID_HEADER, 'connection', 'content-length']);
/** What a 200 says of its body, and a 304 does not. */
const OF_BODY: ReadonlySet<string> = new Set(['content-type', 'content-encoding']);

/** Where the bytes are: they may be replaced by fewer that say the same. */
interface Sent {
  body: Buffer;
}

interface HotAnswer extends Kept {
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
export class HotAnswers {
  #served: object | undefined;
  readonly #answers = new RecentlyUsed<HotAnswer>();
  readonly #askedOnce = new AskedOnce();

  /** From now on answers of this snapshot are given, and no others. */
  follow(served: object): void {
    this.#served = served;
    this.#answers.clear();
    this.#askedOnce.clear();
  }

  /** Answers a GET as it was answered before; false where it was not, and nothing is done. `isAllowed` is asked before an answer only. */
  answer(req: IncomingMessage, res: ServerResponse, isAllowed: (req: IncomingMessage) => boolean): boolean {
    if (req.method !== 'GET') return false;
    const answer = this.#answers.get(toKey(req, req.url as string));
    if (answer === undefined || !isAllowed(req)) return false;
    const requestId = requestIdFrom(req.headers[REQUEST_ID_HEADER]);
    if (isNotModified(req, answer)) {
      answer.notModified[1] = requestId;
      res.writeHead(304, answer.notModified).end();
      return true;
    }
    if (answer.ok === undefined) return false;
    const { sent, headers } = answer.ok;
    headers[1] = requestId;
    headers[3] = String(sent.body.length);
    res.writeHead(200, headers).end(sent.body);
    return true;
  }

  /**
   * Takes over an answer of a snapshot that was just given. `sent` has the body of a 200 and is undefined for a 304; `bytes` are what
   * is kept for its sake.
   */
  take(served: object, req: Request, res: ServerResponse, sent: Sent | undefined, bytes = 0): void {
    if (req.method !== 'GET' || served !== this.#served) return;
    const key = toKey(req, req.originalUrl);
    if (key.length > MAX_KEY_LENGTH) return;
    const known = this.#answers.get(key);
    if (known === undefined ? !this.#askedOnce.isAskedAgain(key) : sent === undefined || known.ok !== undefined) return;
    const headers = headersOf(res);
    this.#answers.set(key, {
      etag: String(res.getHeader('etag')),
      lastModified: Date.parse(String(res.getHeader('last-modified'))),
      notModified: [REQUEST_ID_HEADER, '', ...headers.filter(([name]) => !OF_BODY.has(name)).flat()],
      ok: sent && { sent, headers: [REQUEST_ID_HEADER, '', 'content-length', '', ...headers.flat()] },
      bytes: ANSWER_BYTES + bytes,
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
