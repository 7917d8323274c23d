import { linkTo, PAGE_HEADERS, pageHeaders } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { SKILL } from '../../skills/skill.ts';
import { defineCacheable, OVERLOADED } from '../http/contract.ts';
import { createEncoder, encode } from '../http/encoding.ts';
import { type RequestContext, sendCached } from '../http/send.ts';
import { MAX_LAST, writeCursor } from './cursor.ts';
import { joinPage, writePage } from './list-body.ts';
import { findPage, isWholeList, type ListPage, resolveCursor } from './list-page.ts';
import { LIST_QUERY, type ListQuery } from './list-query.ts';
import { SKILL_EXAMPLE } from './skill.ts';

/** With `fields`, all other fields except the id are missing. */
const LISTED_SKILL = z.union([SKILL, SKILL.partial().required({ id: true }).meta({ id: 'SkillFields' })]);

const FACET = z
  .array(z.object({ value: z.string(), count: z.int().min(1) }).meta({ id: 'FacetValue' }))
  .meta({ id: 'Facet', description: 'The hundred most frequent values, in descending order.' });

const FACETED = z
  .object({
    skills: z.array(LISTED_SKILL),
    facets: z
      .object({ category: FACET, kind: FACET, tag: FACET, author: FACET, license: FACET, valid: FACET })
      .partial()
      .meta({ id: 'SkillFacets', description: 'The requested facets, counted over all matching skills.' }),
  })
  .meta({ id: 'FacetedSkills' });

export const listSkills = defineCacheable({
  id: 'listSkills',
  path: '/api/skills',
  summary: 'List and search the indexed skills with their metadata',
  description:
    'Returns all skills unless a filter or a page is requested: an array, or an object if `facets` are requested.',
  query: LIST_QUERY,
  response: {
    description: 'The skills.',
    schema: z.union([z.array(LISTED_SKILL), FACETED]),
    headers: PAGE_HEADERS,
    example: [SKILL_EXAMPLE],
  },
  errors: [
    {
      status: 400,
      description: 'This includes a cursor that does not belong to this list.',
      example: {
        error: 'validation_error',
        message: 'cursor: is not a cursor of this list',
        details: { fields: [{ path: 'cursor', code: 'invalid_value', message: 'is not a cursor of this list' }] },
      },
    },
    OVERLOADED,
  ],
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
