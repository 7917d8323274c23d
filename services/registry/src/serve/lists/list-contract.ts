import { PAGE_HEADERS } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { SKILL } from '../../skills/skill.ts';
import { defineCacheable, OVERLOADED } from '../http/contract.ts';
import { LIST_QUERY } from './list-query.ts';
import { SKILL_EXAMPLE } from './skill-contract.ts';

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
