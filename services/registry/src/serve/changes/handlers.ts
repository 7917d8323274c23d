import { linkTo } from '@agent-fleet/shared/contract/paging';
import type { Request, Response } from 'express';
import type { Served } from '../../publish/served.ts';
import type { ResponseCache } from '../caching/response-cache.ts';
import { digestOf, encodeRepresentation } from '../http/representation.ts';
import { sendRepresentation } from '../http/send.ts';
import { encodeSmall, type SmallBody, sendSmall } from '../http/small-body.ts';
import type { ChangeEntry } from './change-log.ts';
import type { Changes, ChangesQuery } from './contract.ts';
import { FEED_TYPE, writeFeed } from './feed.ts';
import { changesSince, foldChanges } from './net-changes.ts';

/** `GET /api/changes`. @throws 410 if the history does not reach back to the snapshot */
export async function sendChanges(
  served: Served,
  { since, limit }: ChangesQuery,
  req: Request,
  res: Response,
): Promise<undefined> {
  const latest = served.meta.id;
  const entries = changesSince(served.history, latest, since, limit);
  const to = entries.at(-1)?.to ?? latest;
  const key = `changes ${entries.length} ${since} ${to}`;
  if (to !== latest) res.setHeader('link', linkTo(req.originalUrl, { since: to }, 'next'));
  return sendSmall(req, res, digestOf(`${key} ${latest}`), served.meta.at, (wanted) => {
    const make = () => encodeSmall(writeChanges({ from: since, to, latest }, entries), wanted);
    return served.results.get<SmallBody>(`${wanted} ${key}`, make);
  });
}

function writeChanges(ids: Pick<Changes, 'from' | 'to' | 'latest'>, entries: ChangeEntry[]): Buffer {
  const changes: Changes = { ...ids, ...foldChanges(entries) };
  return Buffer.from(JSON.stringify(changes));
}

/** `GET /api/feed.atom` */
export async function sendFeed(
  served: Served,
  req: Request,
  res: Response,
  responseCache: ResponseCache,
): Promise<undefined> {
  const { feed } = await served.results.get('feed', async () => {
    const text = Buffer.from(writeFeed(served));
    return { feed: await encodeRepresentation(text), bytes: 2 * text.length };
  });
  responseCache.store(served, req, res, sendRepresentation(req, res, feed, served.meta.at, FEED_TYPE));
}
