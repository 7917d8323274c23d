import { linkTo } from '@agent-fleet/shared/contract/paging';
import type { Request, Response } from 'express';
import { answerBody, answerNotModified, answerRepresentation } from '../http/answer.ts';
import { negotiateCoding } from '../http/encoding.ts';
import type { HotAnswers } from '../http/hot-answers.ts';
import { OnceMade } from '../http/once-made.ts';
import { digestOf, encodeRepresentation, etagFor } from '../http/representation.ts';
import { encodeSmall, type SmallBody } from '../http/small-body.ts';
import type { Served } from '../snapshots/served.ts';
import type { ChangeEntry } from './change-log.ts';
import type { Changes, ChangesQuery } from './contract.ts';
import { FEED_TYPE, writeFeed } from './feed.ts';
import { changesSince, foldChanges } from './net-changes.ts';

/** `GET /api/changes`. @throws 410 for a snapshot that the history does not reach back to */
export async function answerChanges(
  served: Served,
  { since, limit }: ChangesQuery,
  req: Request,
  res: Response,
): Promise<undefined> {
  const latest = served.meta.id;
  const entries = changesSince(served.history, latest, since, limit);
  const to = entries.at(-1)?.to ?? latest;
  const wanted = negotiateCoding(req);
  const key = `changes ${entries.length} ${since} ${to}`;
  const validators = {
    etag: etagFor(digestOf(`${key} ${latest}`), wanted),
    coding: wanted,
    lastModified: served.meta.at,
  };
  if (to !== latest) res.setHeader('link', linkTo(req.originalUrl, { since: to }, 'next'));
  if (answerNotModified(req, res, validators)) return;
  const make = () => encodeSmall(writeChanges({ from: since, to, latest }, entries), wanted);
  const { body, coding } = await served.answers.get<SmallBody>(`${wanted} ${key}`, make);
  answerBody(res, { ...validators, coding }, body);
}

function writeChanges(ids: Pick<Changes, 'from' | 'to' | 'latest'>, entries: ChangeEntry[]): Buffer {
  const changes: Changes = { ...ids, ...foldChanges(entries) };
  return Buffer.from(JSON.stringify(changes));
}

const feeds = new OnceMade((served: Served) => encodeRepresentation(Buffer.from(writeFeed(served))));

/** `GET /api/feed.atom`: written when a snapshot's feed is asked for first. */
export async function answerFeed(served: Served, req: Request, res: Response, hot: HotAnswers): Promise<undefined> {
  const feed = await feeds.of(served);
  hot.take(served, req, res, answerRepresentation(req, res, feed, served.meta.at, FEED_TYPE));
}
