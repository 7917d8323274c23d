import { queryInteger } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { defineCacheable } from '../http/contract.ts';

const MAX_ID_LENGTH = 256;
const SNAPSHOT_EXAMPLES = [
  '3f0c9d0c5f1a0a9ad7d6f0b1ce0a6b7d4f9f2b1d0c3e5a7986a1b2c3d4e5f607',
  '9b1e5c6a7d8f90123456789abcdef0123456789abcdef0123456789abcdef012',
] as const;

const snapshot = (description: string) => z.string().meta({ description });
const ids = (description: string) => z.array(z.string()).meta({ description: `${description} Ids of skills.` });

const CHANGES = z
  .object({
    from: snapshot('The snapshot in `since`.'),
    to: snapshot('The snapshot that these changes lead to. Send it as `since` in the next request.'),
    latest: snapshot('The current snapshot. It differs from `to` if `limit` left changes for the next request.'),
    added: ids('In `to` but not in `from`.'),
    changed: ids('In both, with content that changed in between.'),
    removed: ids('In `from` but not in `to`.'),
  })
  .meta({ id: 'Changes' });

export type Changes = z.output<typeof CHANGES>;

const CHANGES_QUERY = z.object({
  since: z
    .string('must be given once')
    .min(1, 'must not be empty')
    .max(MAX_ID_LENGTH, `must have at most ${MAX_ID_LENGTH} characters`)
    .meta({
      description: 'A snapshot: `snapshot_id` of `/api/registry/status`, or `to` of an earlier response.',
      example: SNAPSHOT_EXAMPLES[0],
    }),
  limit: queryInteger({
    min: 1,
    max: 100_000,
    description:
      'Approximate maximum number of ids. The response covers whole snapshots, at least one, and stops before the one that would exceed the limit. Default: no limit.',
  }),
});

export type ChangesQuery = z.output<typeof CHANGES_QUERY>;

export const listChanges = defineCacheable({
  id: 'listChanges',
  path: '/api/changes',
  summary: 'List the changes since a snapshot',
  description:
    'The net additions, changes and removals. A client that keeps a copy of the list can update it without a full download.',
  query: CHANGES_QUERY,
  response: {
    description: 'The changes. All three lists are empty if nothing changed.',
    schema: CHANGES,
    headers: {
      Link: {
        description: 'Relation `next` if `limit` left changes for the next request.',
        schema: { type: 'string' },
      },
    },
    example: {
      from: SNAPSHOT_EXAMPLES[0],
      to: SNAPSHOT_EXAMPLES[1],
      latest: SNAPSHOT_EXAMPLES[1],
      added: ['review-pull-request'],
      changed: [],
      removed: ['review-diff'],
    },
  },
  errors: [
    {
      status: 410,
      description: 'The snapshot is unknown or no longer stored.',
      example: {
        error: 'snapshot_gone',
        message: 'The changes since that snapshot are not available; read the whole list again',
      },
    },
  ],
});

export const readFeed = defineCacheable({
  id: 'readFeed',
  path: '/api/feed.atom',
  summary: 'Read new skills as an Atom feed',
  description:
    'An Atom feed (RFC 4287) of the 100 newest skills, newest first. If fewer are known, the most recently updated skills follow.',
  response: {
    description: 'The feed.',
    contentType: 'application/atom+xml',
    schema: z.string(),
    example: '<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom">…</feed>',
  },
});
