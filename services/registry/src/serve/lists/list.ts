import type { ErrorDoc } from '@agent-fleet/shared/contract/operation';
import { linkTo, PAGE_HEADERS, pageHeaders } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { SKILL } from '../../skills/skill.ts';
import { defineCacheable, OVERLOADED } from '../http/contract.ts';
import { createEncoder, encode } from '../http/encoding.ts';
import { type RequestContext, sendCached } from '../http/send.ts';
import { joinPage, writePage } from './list-body.ts';
import { findPage, isWholeList, type ListPage, nextCursor, resolveCursor } from './list-page.ts';
import { LIST_QUERY, type ListQuery } from './list-query.ts';
import { SKILL_EXAMPLE } from './skill.ts';

/** With `fields`, all other fields except the id are missing. */
export const LISTED_SKILL = SKILL.partial()
  .required({ id: true })
  .meta({ id: 'SkillFields', description: 'A skill; with `fields`, the requested ones of its fields and `id`.' });

export const BAD_CURSOR: ErrorDoc = {
  status: 400,
  description: 'This includes a cursor that does not belong to this list.',
  example: {
    error: 'validation_error',
    message: 'cursor: is not a cursor of this list',
    details: { fields: [{ path: 'cursor', code: 'invalid_value', message: 'is not a cursor of this list' }] },
  },
};

export const listSkills = defineCacheable({
  id: 'listSkills',
  path: '/api/skills',
  summary: 'List and search the indexed skills with their metadata',
  description: 'Returns all skills unless a filter or a page is requested.',
  query: LIST_QUERY,
  response: {
    description: 'The skills.',
    schema: z.array(LISTED_SKILL),
    headers: PAGE_HEADERS,
    example: [SKILL_EXAMPLE],
  },
  errors: [BAD_CURSOR, OVERLOADED],
});

/** Larger pages may be of any size and are streamed. */
const MAX_JOINED = 1_000;

/** `GET /api/skills` */
export async function sendList(context: RequestContext, query: ListQuery): Promise<undefined> {
  const { served, res, cache } = context;
  if (isWholeList(query)) {
    res.setHeader('x-total-count', served.counts.skills);
    return sendCached(context, served.bodies.list);
  }
  const resolved = resolveCursor(served, query);
  const key = JSON.stringify(resolved);
  const page = await cache.result(served, key, () => findPage(served, resolved));
  setPageHeaders(context, query, page);
  return sendCached(context, {
    digest: () => page.digest,
    whole: (wanted) => {
      if (page.rows.length > MAX_JOINED) return undefined;
      return cache.result(served, `${wanted} ${key}`, () => encode(joinPage(served.skills, page), wanted));
    },
    stream: (wanted) => ({ source: writePage(served.skills, page), transform: createEncoder(wanted, 'fast') }),
  });
}

/** Without a limit, there are no links. */
function setPageHeaders({ served, req, res }: RequestContext, query: ListQuery, page: ListPage): void {
  const { skip, limit, total } = page;
  if (limit !== undefined && query.cursor === undefined) {
    const headers = pageHeaders(req.originalUrl, { skip, limit }, total);
    for (const name in headers) res.setHeader(name, headers[name] as string);
    return;
  }
  res.setHeader('x-total-count', total);
  const cursor = query.cursor === undefined ? null : nextCursor(served, query, page);
  if (cursor !== null) res.setHeader('link', linkTo(req.originalUrl, { cursor }, 'next'));
}
