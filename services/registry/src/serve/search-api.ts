import { queryInteger } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import type { Skill } from '../skills/skill.ts';
import { isOnGitHub } from '../skills/skill-file.ts';
import { TimeSlice } from '../time-slice.ts';
import { defineCacheable, searchText } from './http/contract.ts';
import { type RequestContext, sendComputed } from './http/send.ts';
import type { Served } from './served.ts';

/** A user or organization of GitHub. */
const OWNER = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/;

const FOUND = z
  .object({
    query: z.string(),
    count: z.int().min(0).meta({ description: 'Number of skills in this response.' }),
    skills: z.array(
      z
        .object({
          id: z.string().meta({ description: 'The `id` of the skill in `/api/skills`.' }),
          name: z.string(),
          installs: z.int().min(0).meta({ description: '`downloads` of the skill; 0 if unknown.' }),
          source: z.string().meta({ description: 'Repository `owner/name` on GitHub; empty if it is elsewhere.' }),
        })
        .meta({ id: 'FoundSkill' }),
    ),
  })
  .meta({ id: 'FoundSkills' });

type FoundSkills = z.output<typeof FOUND>;

const SEARCH_QUERY = z.object({
  q: searchText('The words of a search, as in `/api/skills`.', 'review'),
  limit: queryInteger({ min: 1, max: 100, description: 'Maximum number of skills. Default: 20.' }),
  owner: z
    .string('must be given once')
    .regex(OWNER, 'must be the name of a user or an organization')
    .transform((text) => text.toLowerCase())
    .optional()
    .meta({
      type: 'string',
      pattern: OWNER.source,
      description: 'Only skills in repositories of this owner, among the first 10,000 that match `q`.',
    }),
});

type SearchApiQuery = z.output<typeof SEARCH_QUERY>;

export const searchSkills = defineCacheable({
  id: 'searchSkills',
  path: '/api/search',
  summary: 'Search skills in the format of the `skills` package',
  description:
    'For `SKILLS_API_URL=<registry> npx skills find <words>`. Other clients get more from `/api/skills?q=`. Finds skills only, no plugins.',
  query: SEARCH_QUERY,
  response: {
    description: 'The skills, best first.',
    schema: FOUND,
    example: {
      query: 'review',
      count: 1,
      skills: [{ id: 'review-pull-request', name: 'review-pull-request', installs: 0, source: 'agent-fleet/skills' }],
    },
  },
});

const DEFAULT_LIMIT = 20;
/** Matches that are searched for an owner. */
const MAX_MATCHES = 10_000;

/** `GET /api/search` */
export async function sendFound(context: RequestContext, query: SearchApiQuery): Promise<undefined> {
  const key = `search ${JSON.stringify([query.q, query.owner, query.limit])}`;
  return sendComputed(context, key, () => search(context.served, query));
}

async function search(
  { search, skills }: Served,
  { q, owner, limit = DEFAULT_LIMIT }: SearchApiQuery,
): Promise<FoundSkills> {
  const most = owner === undefined ? limit : MAX_MATCHES;
  const { rows } = search.find({ q, kinds: ['skill'], skip: 0, limit: most });
  const slice = new TimeSlice();
  const found: FoundSkills['skills'] = [];
  for (let at = 0; at < rows.length && found.length < limit; at++) {
    const skill = skills.skillAt(rows[at]!);
    if (owner === undefined || isOwnedBy(skill, owner)) found.push(toFound(skill));
    if (slice.isOver()) await slice.next();
  }
  return { query: q, count: found.length, skills: found };
}

function isOwnedBy({ source: { repo } }: Skill, owner: string): boolean {
  return repo?.toLowerCase().startsWith(`${owner}/`) ?? false;
}

function toFound({ id, name, downloads, source }: Skill): FoundSkills['skills'][number] {
  return { id, name, installs: downloads ?? 0, source: isOnGitHub(source) ? (source.repo ?? '') : '' };
}
