import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { ResponseCache } from '../response-cache.ts';
import type { Served } from '../served.ts';
import type { BodyStreams } from './body-streams.ts';
import type { Body } from './coded-body.ts';
import { type Coding, type EncodedBody, encode, negotiateCoding } from './encoding.ts';
import { digestOf, etagFor, isNotModified, setValidators } from './validators.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** What a handler needs to respond to one request. */
export interface RequestContext {
  served: Served;
  req: Request;
  res: Response;
  cache: ResponseCache;
  streams: BodyStreams;
}

export interface BodyMeta {
  /** Milliseconds. */
  lastModified: number;
  /** Default JSON. */
  contentType?: string;
}

/** Sends a body of the snapshot, and caches the response unless it is streamed. @throws 503 `overloaded` */
export async function sendCached(context: RequestContext, body: Body, contentType?: string): Promise<undefined> {
  const { served, req, res, cache } = context;
  const sent = await send(context, body, { lastModified: served.meta.at, contentType });
  if (sent) cache.store(served, req, res, sent.body, sent.bytes);
}

/** Sends JSON that equal requests to a snapshot share: `compute` has the same result for the same `key`. */
export async function sendComputed(
  context: RequestContext,
  key: string,
  compute: () => unknown | Promise<unknown>,
): Promise<undefined> {
  const { served, cache } = context;
  const { json, digest } = await cache.result(served, key, async () => {
    const json = Buffer.from(JSON.stringify(await compute()));
    return { json, digest: digestOf(json), bytes: json.length };
  });
  return sendCached(context, {
    digest: () => digest,
    whole: (wanted) => cache.result(served, `${wanted} ${key}`, () => encode(json, wanted)),
  });
}

/**
 * Sends 304, or 200 with the body for `Accept-Encoding`. Returns what was sent: no body if it was a 304, undefined if
 * the body was streamed or HEAD made none.
 * @throws 503 `overloaded`
 */
export async function send(
  { req, res, streams }: { req: IncomingMessage; res: ServerResponse; streams: BodyStreams },
  body: Body,
  { lastModified, contentType = JSON_TYPE }: BodyMeta,
): Promise<Partial<EncodedBody> | undefined> {
  const wanted = body.negotiate?.(req) ?? negotiateCoding(req);
  const validators = { etag: etagFor(await body.digest(), wanted), lastModified };
  if (isNotModified(req, validators)) {
    setValidators(res, validators);
    res.writeHead(304).end();
    return {};
  }
  const setHeaders = (coding: Coding, length: number | undefined) => {
    setValidators(res, validators);
    if (coding !== 'identity') res.setHeader('content-encoding', coding);
    res.setHeader('content-type', contentType);
    if (length !== undefined) res.setHeader('content-length', length);
  };
  const isHead = req.method === 'HEAD';
  const whole = isHead && body.length ? undefined : await body.whole(wanted);
  if (whole) {
    setHeaders(whole.coding, whole.body.length);
    res.writeHead(200).end(whole.body);
    return whole;
  }
  const length = await body.length?.(wanted);
  // Nothing is awaited from here on: a response that is refused has none of these headers.
  if (!isHead || !body.length) streams.requireRoom();
  setHeaders(wanted, length);
  const streamed = isHead ? undefined : body.stream?.(wanted);
  if (streamed) await streams.send(res, streamed.source, streamed.transform);
  else res.writeHead(200).end();
  return undefined;
}
