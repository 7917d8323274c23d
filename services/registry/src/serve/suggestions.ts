import { queryInteger } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { foldName } from '../index/words/fold.ts';
import type { Skill } from '../skills/skill.ts';
import { defineCacheable, searchText } from './http/contract.ts';
import { type RequestContext, sendComputed } from './http/send.ts';
import type { Served } from './served.ts';

const SUGGESTIONS = z
  .object({
    suggestions: z.array(
      z
        .object({
          text: z.string().meta({ description: 'Suggested search text.' }),
          kind: z.enum(['skill', 'tag', 'author', 'category']).meta({ description: 'Kind of the suggestion.' }),
          id: z.string().optional().meta({ description: 'Id of the skill, if the suggestion is a skill.' }),
          count: z
            .int()
            .min(1)
            .optional()
            .meta({ description: 'Number of skills that have it, if the suggestion is not a skill.' }),
        })
        .meta({ id: 'Suggestion' }),
    ),
  })
  .meta({ id: 'Suggestions' });

const SUGGESTION_QUERY = z.object({
  q: searchText(
    'The text typed so far. Case is ignored; in names of skills, so are accents, and dashes and underscores count as spaces.',
    'rev',
  ),
  limit: queryInteger({ min: 1, max: 50, description: 'Maximum number of suggestions. Default: 10.' }),
});

type SuggestionQuery = z.output<typeof SUGGESTION_QUERY>;

export const listSuggestions = defineCacheable({
  id: 'listSuggestions',
  path: '/api/suggestions',
  summary: 'Suggest completions for a search',
  description: 'Returns names of skills, tags, authors and categories that begin with the text.',
  query: SUGGESTION_QUERY,
  response: {
    description: 'The suggestions, best first.',
    schema: SUGGESTIONS,
    example: {
      suggestions: [
        { text: 'review-pull-request', kind: 'skill', id: 'review-pull-request' },
        { text: 'review', kind: 'tag', count: 3 },
      ],
    },
  },
});

const DEFAULT_LIMIT = 10;

/** `GET /api/suggestions` */
export async function sendSuggestions(
  context: RequestContext,
  { q, limit = DEFAULT_LIMIT }: SuggestionQuery,
): Promise<undefined> {
  return sendComputed(context, `suggestions ${limit} ${q}`, () => suggest(context.served, q, limit));
}

function suggest({ search, skills }: Served, q: string, limit: number): z.output<typeof SUGGESTIONS> {
  const suggestions = search.suggest(q, limit).map((suggestion) => {
    if (suggestion.kind !== 'skill') return suggestion;
    const skill = skills.skillAt(suggestion.row);
    return { text: matchingName(skill, q), kind: suggestion.kind, id: skill.id };
  });
  return { suggestions };
}

/** The name that begins with the text; skills match by their display names, too. */
function matchingName({ name, display_name }: Skill, q: string): string {
  return foldName(name).startsWith(foldName(q)) ? name : display_name;
}
