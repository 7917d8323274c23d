import { linkTo } from '@agent-fleet/shared/contract/paging';
import type { ChangeEntry } from '../../changes/change-log.ts';
import { changesSince, foldChanges } from '../../changes/net-changes.ts';
import { digestOf } from '../http/entity-tag.ts';
import type { RequestContext } from '../http/request-context.ts';
import { encodeSmall, type SmallBody, sendSmall } from '../http/small-body.ts';
import type { Changes, ChangesQuery } from './contract.ts';

/** `GET /api/changes`. @throws 410 if the history does not reach back to the snapshot */
export async function sendChanges(context: RequestContext, { since, limit }: ChangesQuery): Promise<undefined> {
  const { served, req, res, cache } = context;
  const latest = served.meta.id;
  const entries = changesSince(served.history, latest, since, limit);
  const to = entries.at(-1)?.to ?? latest;
  const key = `changes ${entries.length} ${since} ${to}`;
  if (to !== latest) res.setHeader('link', linkTo(req.originalUrl, { since: to }, 'next'));
  return sendSmall(context, digestOf(`${key} ${latest}`), (wanted) => {
    const make = () => encodeSmall(writeChanges({ from: since, to, latest }, entries), wanted);
    return cache.result<SmallBody>(served, `${wanted} ${key}`, make);
  });
}

function writeChanges(ids: Pick<Changes, 'from' | 'to' | 'latest'>, entries: ChangeEntry[]): Buffer {
  const changes: Changes = { ...ids, ...foldChanges(entries) };
  return Buffer.from(JSON.stringify(changes));
}
