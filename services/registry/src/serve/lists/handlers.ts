import { linkTo, pageHeaders } from '@agent-fleet/shared/contract/paging';
import { detailError } from '@agent-fleet/shared/http/errors';
import type { Request, Response } from 'express';
import type { Served } from '../../publish/served.ts';
import type { ResponseCache } from '../caching/response-cache.ts';
import type { BodyStreams } from '../http/body-streams.ts';
import { createEncoder, negotiateCoding } from '../http/encoding.ts';
import { etagFor } from '../http/representation.ts';
import { sendBody, sendNotModified, sendRepresentation, setHeaders } from '../http/send.ts';
import { encodeSmall, sendSmall } from '../http/small-body.ts';
import { MAX_LAST, writeCursor } from './cursor.ts';
import { findPage, isWholeList, type ListPage, resolveCursor } from './list-page.ts';
import type { ListQuery } from './list-query.ts';
import { joinPage, writePage } from './page-json.ts';

/** Larger pages may be of any size and are streamed. */
const MAX_JOINED = 1_000;

/** `GET /api/skills`. The whole list is encoded already. */
export async function sendList(
  served: Served,
  query: ListQuery,
  req: Request,
  res: Response,
  streams: BodyStreams,
  responseCache: ResponseCache,
): Promise<undefined> {
  const lastModified = served.meta.at;
  if (isWholeList(query)) {
    res.setHeader('x-total-count', served.counts.skills);
    responseCache.store(served, req, res, sendRepresentation(req, res, served.list, lastModified));
    return;
  }
  const resolved = resolveCursor(served, query);
  const key = JSON.stringify(resolved);
  const page = await served.results.get(key, () => findPage(served, resolved));
  setPageHeaders(served, query, page, req, res);
  const wanted = negotiateCoding(req);
  const validators = { etag: etagFor(page.digest, wanted), coding: wanted, lastModified };
  if (sendNotModified(req, res, validators)) {
    responseCache.store(served, req, res, undefined);
    return;
  }
  if (page.rows.length > MAX_JOINED) {
    streams.requireRoom();
    setHeaders(res, validators);
    await streams.send(req, res, writePage(served.skills, page), createEncoder(wanted));
    return;
  }
  const make = () => encodeSmall(joinPage(served.skills, page), wanted);
  const made = await served.results.get(`${wanted} ${key}`, make);
  sendBody(res, { ...validators, coding: made.coding }, made.body);
  responseCache.store(served, req, res, made, made.bytes);
}

/** Without a limit, there are no links. */
function setPageHeaders(served: Served, query: ListQuery, page: ListPage, req: Request, res: Response): void {
  const { skip, limit, total, rows } = page;
  if (limit !== undefined && query.cursor === undefined) {
    const headers = pageHeaders(req.originalUrl, { skip, limit }, total);
    for (const name in headers) res.setHeader(name, headers[name] as string);
    return;
  }
  res.setHeader('x-total-count', total);
  const position = skip + rows.length;
  if (query.cursor === undefined || rows.length === 0 || position >= total) return;
  const lastIds = Array.from(rows.slice(-MAX_LAST).reverse(), (row) => served.skills.idAt(row));
  const next = { snapshotId: served.meta.id, position, lastIds };
  res.setHeader('link', linkTo(req.originalUrl, { cursor: writeCursor(next, query) }, 'next'));
}

/** `GET /api/skills/{skill_id}`. @throws 404 with `detail` */
export async function sendSkill(served: Served, id: string, req: Request, res: Response): Promise<undefined> {
  const row = served.skills.rowOf(id);
  if (row === undefined) throw detailError(404, 'Skill not found');
  const fingerprint = served.identities.fingerprints[row] as number;
  const json = served.skills.jsonAt(row);
  return sendSmall(req, res, fingerprint.toString(36), served.meta.at, (wanted) => encodeSmall(json, wanted));
}
