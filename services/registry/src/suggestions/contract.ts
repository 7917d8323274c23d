import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { queryInteger } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { CONDITIONAL_HEADERS, NOT_MODIFIED, REPRESENTATION_HEADERS } from '../http/contract.ts';

const MAX_QUERY_LENGTH = 256;

const SUGGESTIONS = z
  .object({
    suggestions: z.array(
      z.object({
        text: z.string().meta({ description: 'What to put into the search box.' }),
        kind: z.enum(['skill', 'tag', 'author', 'category']).meta({ description: 'What the text is.' }),
        id: z.string().optional().meta({ description: 'Of a skill.' }),
        count: z.int().min(1).optional().meta({ description: 'How many skills have it, where it is not a skill.' }),
      }),
    ),
  })
  .meta({ id: 'Suggestions' });

const SUGGESTION_QUERY = z.object({
  q: z
    .string('must be given once')
    .max(MAX_QUERY_LENGTH, `must have at most ${MAX_QUERY_LENGTH} characters`)
    .transform((text) => text.trim())
    .refine((text) => text.length > 0, 'must not be empty')
    .meta({
      type: 'string',
      minLength: 1,
      maxLength: MAX_QUERY_LENGTH,
      description:
        'What has been typed so far. Case does not count; of names of skills neither do accents, dashes and underscores.',
      example: 'rev',
    }),
  limit: queryInteger({ min: 1, max: 50, description: 'How many to give at most; default 10.' }),
});

export type SuggestionQuery = z.output<typeof SUGGESTION_QUERY>;

export const listSuggestions = defineOperation({
  id: 'listSuggestions',
  method: 'get',
  path: '/api/suggestions',
  tag: 'Registry',
  summary: 'Complete what somebody is typing',
  description: 'Names of skills, tags, authors and categories that begin with it. Needs no credentials.',
  security: 'public',
  query: SUGGESTION_QUERY,
  requestHeaders: CONDITIONAL_HEADERS,
  responses: {
    200: {
      description: 'The best first.',
      schema: SUGGESTIONS,
      headers: REPRESENTATION_HEADERS,
      example: {
        suggestions: [
          { text: 'review-pull-request', kind: 'skill', id: 'review-pull-request' },
          { text: 'review', kind: 'tag', count: 3 },
        ],
      },
    },
    304: NOT_MODIFIED,
  },
});
