import type { ResponseDoc } from '@agent-fleet/shared/contract';
import { defineOperation } from '@agent-fleet/shared/contract';
import { PAGE_HEADERS, queryInteger, queryText, skipParameter } from '@agent-fleet/shared/paging';
import { z } from 'zod';
import { CONDITIONAL_HEADERS, NOT_MODIFIED, REPRESENTATION_HEADERS } from '../http/contract.ts';

const text = (description: string) => z.string().nullable().meta({ description });
const count = (description: string) => z.int().min(0).nullable().meta({ description });

const SOURCE = z
  .object({
    repo: text('Repository, mostly `owner/name`.'),
    path: text('Folder or file within the repository.'),
    ref: text('Branch, tag or commit.'),
    url: text('Web address, http or https.'),
  })
  .meta({ description: 'Where the skill lives. A part that upstream does not name is null.' });

export const SKILL = z
  .object({
    id: z.string().meta({ description: 'URL-safe, without a slash, unique and stable from one refresh to the next.' }),
    name: z.string(),
    description: z.string().meta({ description: 'Empty where upstream has none.' }),
    category: text('Id of a category of `/api/categories`.'),
    tags: z.array(z.string()),
    author: text('As upstream says, else the owner of the repository.'),
    source: SOURCE,
    license: text('SPDX identifier or a name.'),
    version: text('As upstream writes it.'),
    stars: count('Stars of the repository; null where unknown.'),
    downloads: count('Downloads or installations; null where unknown.'),
    featured: z.boolean(),
    updated_at: text('RFC 3339, UTC.'),
    install: text('What upstream says to install it with. Never run it unread.'),
    extra: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What upstream says beyond these fields, as it says it.' }),
  })
  .meta({ id: 'Skill' });

export type Skill = z.output<typeof SKILL>;

const SORTS = ['name', 'stars', 'downloads', 'updated', 'relevance'] as const;
export type Sort = (typeof SORTS)[number];

const MAX_QUERY_LENGTH = 256;

const LIST_QUERY = z.object({
  q: z
    .string('must be given once')
    .max(MAX_QUERY_LENGTH, `must have at most ${MAX_QUERY_LENGTH} characters`)
    .optional()
    .meta({
      description: 'Words that must all occur in the name, id, description, tags, author or category, in any case.',
    }),
  category: queryText('Id or name of a category, in any case.'),
  tag: queryText('A tag, in any case.'),
  author: queryText('An author, in any case.'),
  sort: z
    .enum(SORTS, `must be given once and be one of ${SORTS.join(', ')}`)
    .optional()
    .meta({
      description: 'Default `relevance` with `q`, else `name`. Unknown values come last, equal ones by name.',
    }),
  order: z.enum(['asc', 'desc'], 'must be given once and be asc or desc').optional().meta({
    description: 'Default `asc` for `name`, else `desc`: most stars, latest, best first.',
  }),
  skip: skipParameter,
  limit: queryInteger({ min: 1, max: 1000, description: 'How many to give at most; all of them when left out.' }),
});

export type ListQuery = z.output<typeof LIST_QUERY>;

const SKILL_EXAMPLE: Skill = {
  id: 'review-pull-request',
  name: 'review-pull-request',
  description: 'Reads a change together with the code around it and reports defects by severity.',
  category: 'code-quality',
  tags: ['review', 'git', 'bugs'],
  author: 'Agent Fleet',
  source: { repo: 'agent-fleet/skills', path: 'skills/review-pull-request', ref: 'main', url: null },
  license: 'MIT',
  version: '1.4.0',
  stars: null,
  downloads: null,
  featured: true,
  updated_at: '2026-03-02T00:00:00.000Z',
  install: null,
  extra: {},
};

const OK: ResponseDoc = { description: '', headers: REPRESENTATION_HEADERS };

export const listSkills = defineOperation({
  id: 'listSkills',
  method: 'get',
  path: '/api/skills',
  tag: 'Registry',
  summary: 'List the indexed skills with their metadata',
  description: 'All of them, unless filtered or paged. Needs no credentials.',
  security: 'public',
  query: LIST_QUERY,
  requestHeaders: CONDITIONAL_HEADERS,
  responses: {
    200: {
      ...OK,
      description: 'The skills.',
      schema: z.array(SKILL),
      headers: { ...OK.headers, ...PAGE_HEADERS },
      example: [SKILL_EXAMPLE],
    },
    304: NOT_MODIFIED,
  },
});

export const getSkill = defineOperation({
  id: 'getSkill',
  method: 'get',
  path: '/api/skills/{skill_id}',
  tag: 'Registry',
  summary: 'Read one skill',
  security: 'public',
  params: z.object({ skill_id: z.string().meta({ description: 'The skill’s `id`.', example: SKILL_EXAMPLE.id }) }),
  requestHeaders: CONDITIONAL_HEADERS,
  responses: {
    200: { ...OK, description: 'The skill.', schema: SKILL, example: SKILL_EXAMPLE },
    304: NOT_MODIFIED,
  },
  errors: [{ status: 404, description: 'No such skill.', example: { detail: 'Skill not found' } }],
});
