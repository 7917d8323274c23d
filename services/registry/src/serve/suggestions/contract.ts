import { queryInteger } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { defineCacheable, searchText } from '../http/contract.ts';

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

export type SuggestionQuery = z.output<typeof SUGGESTION_QUERY>;

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
