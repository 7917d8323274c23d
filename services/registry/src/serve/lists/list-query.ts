import { queryInteger, queryText, skipParameter } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { parseKind } from '../../normalise/kind.ts';
import { FACET_NAMES } from '../../search/search-query.ts';
import { SKILL, SKILL_KINDS, type Skill } from '../../skills/skill.ts';
import { MAX_QUERY_LENGTH } from '../http/contract.ts';

const SORTS = ['name', 'stars', 'downloads', 'updated', 'trending', 'relevance'] as const;
const FIELDS = Object.keys(SKILL.shape) as (keyof Skill)[];

const MAX_NAMES_LENGTH = 512;
const MAX_CURSOR_LENGTH = 2_048;
const MAX_LIMIT = 1_000;
const ONCE = 'must be given once';

/**
 * A comma-separated list of some `names`; the result has each once, in the order of `names`. Empty means none. `parse`
 * may know other words for a name.
 */
function nameList<Name extends string>(
  names: readonly Name[],
  description: string,
  parse?: (word: string) => Name | undefined,
) {
  const toName = parse ?? ((word: string) => names.find((name) => name === word));
  return z
    .string(ONCE)
    .max(MAX_NAMES_LENGTH, `must have at most ${MAX_NAMES_LENGTH} characters`)
    .transform((text, context) => {
      const given = text.split(',').map((word) => toName(word.trim()));
      if (text.trim() === '') return undefined;
      if (!given.includes(undefined)) return names.filter((name) => given.includes(name));
      context.addIssue({ code: 'custom', message: `must be some of ${names.join(', ')}, separated by commas` });
      return z.NEVER;
    })
    .optional()
    .meta({
      type: 'string',
      maxLength: MAX_NAMES_LENGTH,
      pattern: parse ? WORDS : listPattern(names),
      description: `${description} \`${names.join('`, `')}\`.`,
    });
}

const WORDS = '^[A-Za-z_, -]*$';

/** Matches a comma-separated list of some `names`, with blanks around them, or nothing. */
function listPattern(names: readonly string[]): string {
  const name = `(?:${names.join('|')})`;
  return `^ *(?:${name} *(?:, *${name} *)*)?$`;
}

/** zod's pattern, and the lower case that RFC 3339 also allows. */
const DATE = z.core.regexes.date.source.slice(1, -1);
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?';
const OFFSET = '(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)';
const DATE_OR_TIME = `^${DATE}(?:[Tt]${TIME}${OFFSET})?$`;

const updatedSince = z
  .string(ONCE)
  // RFC 3339 allows `t` and `z`; zod does not.
  .transform((text) => text.toUpperCase())
  .pipe(
    z.union(
      [z.iso.date(), z.iso.datetime({ offset: true })],
      'must be a date or an RFC 3339 date-time; write + as %2B',
    ),
  )
  .transform((text) => Date.parse(text))
  .optional()
  .meta({
    type: 'string',
    pattern: DATE_OR_TIME,
    description:
      'Only skills updated at or after this time: a date such as `2026-01-31` (midnight UTC), or an RFC 3339 date-time.',
  });

export const LIST_QUERY = z.object({
  q: z
    .string(ONCE)
    .max(MAX_QUERY_LENGTH, `must have at most ${MAX_QUERY_LENGTH} characters`)
    .transform((text) => text.trim() || undefined)
    .optional()
    .meta({
      type: 'string',
      maxLength: MAX_QUERY_LENGTH,
      description:
        'Words or a question, to find in the name, display name, tags, author, repository, category and description. Case does not count, nor do stop words such as "how do I"; other forms of English words match. If no skill has all words, typos are tolerated, and in a longer query some of the words are enough. Only the first sixteen words count. An exact name comes first.',
    }),
  category: queryText('Id or name of a category, ignoring case.'),
  kind: nameList(
    SKILL_KINDS,
    'Kinds of records, also in the plural. Default: `skill` and `plugin`. A comma-separated list of',
    parseKind,
  ),
  tag: queryText('A tag, ignoring case.'),
  author: queryText('An author, ignoring case.'),
  repo: queryText('A repository, as in `source.repo`, ignoring case.'),
  license: queryText('A license, ignoring case.'),
  valid: z
    .enum(['true', 'false'], 'must be given once and be true or false')
    .transform((text) => text === 'true')
    .optional()
    .meta({ type: 'boolean', description: 'Whether the skill follows the rules of the Agent Skills specification.' }),
  updated_since: updatedSince,
  fields: nameList(FIELDS, 'Only these fields of each skill, and `id`. A comma-separated list of'),
  sort: z
    .enum(SORTS, `must be given once and be one of ${SORTS.join(', ')}`)
    .optional()
    .meta({
      description:
        'Default: `relevance` with `q`, else `name`. Unknown values come last; equal values are ordered by name. `trending` orders by new stars, new sources and new skills of today and the seven days before, then by popularity.',
    }),
  order: z.enum(['asc', 'desc'], 'must be given once and be asc or desc').optional().meta({
    description: 'Default: `asc` for `name`, else `desc` (most stars, latest or best first).',
  }),
  skip: skipParameter,
  limit: queryInteger({
    min: 1,
    max: MAX_LIMIT,
    description: 'Maximum number of skills. Default: all, or 100 with `cursor`.',
  }),
  cursor: z.string(ONCE).max(MAX_CURSOR_LENGTH, 'is not a cursor of this list').optional().meta({
    description:
      'Empty for the first page; the `next` link or `next_cursor` has that of the following page. It continues after the last skill of a page, even if a new snapshot has other skills before it. Cannot be combined with `skip`. Filters and order must stay the same; `limit`, `fields` and, where they are, `facets` may change.',
    example: '',
  }),
});

export type ListQuery = z.output<typeof LIST_QUERY>;

export const CATALOGUE_QUERY = LIST_QUERY.extend({
  facets: nameList(
    FACET_NAMES,
    'Requests the most frequent values among all matching skills, with their counts. A comma-separated list of',
  ),
  limit: queryInteger({ min: 1, max: MAX_LIMIT, description: 'Maximum number of skills. Default: 100.' }),
});

export type CatalogueQuery = z.output<typeof CATALOGUE_QUERY>;
