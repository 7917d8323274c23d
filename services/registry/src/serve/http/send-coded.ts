import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Served } from '../served.ts';
import type { BodyStreams } from './body-streams.ts';
import type { CodedBody } from './coded-body.ts';
import { negotiateCoding } from './encoding.ts';
import type { RequestContext } from './request-context.ts';
import { sendBody, sendNotModified, setHeaders } from './send.ts';

/** Responds with a body of the snapshot, and caches the response unless it is streamed. */
export async function sendCoded(
  { served, req, res, cache, streams }: RequestContext,
  name: keyof Served['bodies'],
  contentType?: string,
): Promise<undefined> {
  const sent = await respondCoded(req, res, streams, served.bodies[name], served.meta.at, contentType);
  if (sent) cache.store(served, req, res, sent.body);
}

/**
 * Sends 304, or 200 with the body for `Accept-Encoding`. A body that is not kept is streamed. Returns what was sent,
 * with a body unless it was a 304; undefined if it was streamed or for HEAD, which makes no body.
 * @throws 503 `overloaded`
 */
export async function respondCoded(
  req: IncomingMessage,
  res: ServerResponse,
  streams: BodyStreams,
  body: CodedBody,
  lastModified: number,
  contentType?: string,
): Promise<{ body?: Buffer } | undefined> {
  const coding = negotiateCoding(req, body.hasBr);
  const validators = { etag: await body.etagFor(coding), coding, lastModified, contentType };
  if (sendNotModified(req, res, validators)) return {};
  if (req.method !== 'HEAD') {
    const whole = await body.get(coding);
    if (whole) {
      sendBody(res, validators, whole);
      return { body: whole };
    }
    streams.requireRoom();
  }
  const length = await body.lengthOf(coding);
  setHeaders(res, validators);
  if (length !== undefined) res.setHeader('content-length', length);
  if (req.method === 'HEAD') res.writeHead(200).end();
  else await streams.send(req, res, body.read());
  return undefined;
}
