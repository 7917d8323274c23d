import { z } from 'zod';
import { defineCacheable } from '../http/contract.ts';
import { encode } from '../http/encoding.ts';
import { type RequestContext, sendCached } from '../http/send.ts';
import { digestOf } from '../http/validators.ts';
import { BAD_CURSOR, LISTED_SKILL } from './list.ts';
import { joinPage } from './list-body.ts';
import { DEFAULT_CURSOR_LIMIT, findPage, nextCursor, resolveCursor } from './list-page.ts';
import { CATALOGUE_QUERY, type CatalogueQuery } from './list-query.ts';
import { SKILL_EXAMPLE } from './skill.ts';

const FACET = z
  .array(z.object({ value: z.string(), count: z.int().min(1) }).meta({ id: 'FacetValue' }))
  .meta({ id: 'Facet', description: 'The hundred most frequent values, in descending order.' });

const CATALOGUE = z
  .object({
    skills: z.array(LISTED_SKILL),
    facets: z
      .object({ category: FACET, kind: FACET, tag: FACET, author: FACET, license: FACET, valid: FACET })
      .partial()
      .meta({ id: 'SkillFacets', description: 'The requested facets, counted over all matching skills.' }),
    total: z.int().min(0).meta({ description: 'Number of all matching skills.' }),
    next_cursor: z.string().nullable().meta({ description: 'The `cursor` of the next page; null after the last.' }),
  })
  .meta({ id: 'Catalogue' });

export const getCatalogue = defineCacheable({
  id: 'getCatalogue',
  path: '/api/catalogue',
  summary: 'Search the indexed skills a page at a time, with facets',
  description: 'Finds the skills that `/api/skills` does.',
  query: CATALOGUE_QUERY,
  response: {
    description: 'One page of the skills.',
    schema: CATALOGUE,
    example: {
      skills: [SKILL_EXAMPLE],
      facets: { category: [{ value: 'code-quality', count: 1 }] },
      total: 1,
      next_cursor: null,
    },
  },
  errors: [BAD_CURSOR],
});

/** `GET /api/catalogue` */
export async function sendCatalogue(context: RequestContext, query: CatalogueQuery): Promise<undefined> {
  const { served, cache } = context;
  const resolved = resolveCursor(served, { ...query, limit: query.limit ?? DEFAULT_CURSOR_LIMIT });
  const key = `catalogue ${JSON.stringify(resolved)}`;
  const page = await cache.result(served, key, () => {
    const { digest, facetsJson = '{}', ...found } = findPage(served, resolved);
    const next = JSON.stringify(nextCursor(served, resolved, found));
    const tail = `,"facets":${facetsJson},"total":${found.total},"next_cursor":${next}}`;
    return { ...found, digest: digestOf(digest + tail), around: ['{"skills":', tail] as const };
  });
  return sendCached(context, {
    digest: () => page.digest,
    whole: (wanted) => cache.result(served, `${wanted} ${key}`, () => encode(joinPage(served.skills, page), wanted)),
  });
}
