import { linkTo, pageHeaders } from '@agent-fleet/shared/contract/paging';
import { detailError } from '@agent-fleet/shared/http/errors';
import { createEncoder, negotiateCoding } from '../http/encoding.ts';
import { etagFor } from '../http/entity-tag.ts';
import type { RequestContext } from '../http/request-context.ts';
import { sendBody, sendNotModified, setHeaders } from '../http/send.ts';
import { sendCoded } from '../http/send-coded.ts';
import { encodeSmall, sendSmall } from '../http/small-body.ts';
import { MAX_LAST, writeCursor } from './cursor.ts';
import { findPage, isWholeList, type ListPage, resolveCursor } from './list-page.ts';
import type { ListQuery } from './list-query.ts';
import { joinPage, writePage } from './page-json.ts';

/** Larger pages may be of any size and are streamed. */
const MAX_JOINED = 1_000;

/** `GET /api/skills` */
export async function sendList(context: RequestContext, query: ListQuery): Promise<undefined> {
  const { served, req, res, cache, streams } = context;
  if (isWholeList(query)) {
    res.setHeader('x-total-count', served.counts.skills);
    return sendCoded(context, 'list');
  }
  const resolved = resolveCursor(served, query);
  const key = JSON.stringify(resolved);
  const page = await cache.result(served, key, () => findPage(served, resolved));
  setPageHeaders(context, query, page);
  const wanted = negotiateCoding(req);
  const validators = { etag: etagFor(page.digest, wanted), coding: wanted, lastModified: served.meta.at };
  if (sendNotModified(req, res, validators)) {
    cache.store(served, req, res, undefined);
    return;
  }
  if (page.rows.length > MAX_JOINED) {
    streams.requireRoom();
    setHeaders(res, validators);
    await streams.send(req, res, writePage(served.skills, page), createEncoder(wanted, 'fast'));
    return;
  }
  const make = () => encodeSmall(joinPage(served.skills, page), wanted);
  const made = await cache.result(served, `${wanted} ${key}`, make);
  sendBody(res, { ...validators, coding: made.coding }, made.body);
  cache.store(served, req, res, made.body, made.bytes);
}

/** Without a limit, there are no links. */
function setPageHeaders({ served, req, res }: RequestContext, query: ListQuery, page: ListPage): void {
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
export async function sendSkill(context: RequestContext, id: string): Promise<undefined> {
  const { skills, identities } = context.served;
  const row = skills.rowOf(id);
  if (row === undefined) throw detailError(404, 'Skill not found');
  const fingerprint = identities.fingerprints[row] as number;
  const json = skills.jsonAt(row);
  return sendSmall(context, fingerprint.toString(36), (wanted) => encodeSmall(json, wanted));
}
