import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { queryInteger } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { CONDITIONAL_HEADERS, NOT_MODIFIED, REPRESENTATION_HEADERS } from '../http/contract.ts';

const MAX_ID_LENGTH = 256;
const SNAPSHOT_EXAMPLES = [
  '3f0c9d0c5f1a0a9ad7d6f0b1ce0a6b7d4f9f2b1d0c3e5a7986a1b2c3d4e5f607',
  '9b1e5c6a7d8f90123456789abcdef0123456789abcdef0123456789abcdef012',
] as const;

const snapshot = (description: string) => z.string().meta({ description });
const ids = (description: string) => z.array(z.string()).meta({ description: `${description} Ids of skills.` });

const CHANGES = z
  .object({
    from: snapshot('The snapshot asked for.'),
    to: snapshot('The snapshot that the lists lead to: what to ask with next time.'),
    latest: snapshot(
      'The snapshot that is served. Another than `to` where `limit` left something for the next request.',
    ),
    added: ids('Now there, and not in `from`.'),
    changed: ids('In both, and with other content at some time since.'),
    removed: ids('In `from`, and not there any more.'),
  })
  .meta({ id: 'Changes' });

export type Changes = z.output<typeof CHANGES>;

const CHANGES_QUERY = z.object({
  since: z
    .string('must be given once')
    .min(1, 'must not be empty')
    .max(MAX_ID_LENGTH, `must have at most ${MAX_ID_LENGTH} characters`)
    .meta({
      description: 'A snapshot: `snapshot_id` of `/api/registry/status`, or `to` of an earlier answer.',
      example: SNAPSHOT_EXAMPLES[0],
    }),
  limit: queryInteger({
    min: 1,
    max: 100_000,
    description:
      'About how many ids to give at most: snapshots are passed one by one until the next would bring more, at least one. All of them when left out.',
  }),
});

export type ChangesQuery = z.output<typeof CHANGES_QUERY>;

export const listChanges = defineOperation({
  id: 'listChanges',
  method: 'get',
  path: '/api/changes',
  tag: 'Registry',
  summary: 'Read what changed since a snapshot',
  description:
    'What was added, changed and removed on the whole, so that a client that keeps a copy need not read all of it. Needs no credentials.',
  security: 'public',
  query: CHANGES_QUERY,
  requestHeaders: CONDITIONAL_HEADERS,
  responses: {
    200: {
      description: 'The changes; three empty lists where there were none.',
      schema: CHANGES,
      headers: {
        ...REPRESENTATION_HEADERS,
        Link: { description: 'Relation `next` where `limit` left something.', schema: { type: 'string' } },
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
    304: NOT_MODIFIED,
  },
  errors: [
    {
      status: 410,
      description: 'That snapshot is not known, or no longer.',
      example: {
        error: 'snapshot_gone',
        message: 'The changes since that snapshot are not known; read the whole list anew',
      },
    },
  ],
});

export const readFeed = defineOperation({
  id: 'readFeed',
  method: 'get',
  path: '/api/feed.atom',
  tag: 'Registry',
  summary: 'Follow new skills in a feed reader',
  description:
    'Atom (RFC 4287): the hundred skills that came last, the latest first. Where fewer are known, those follow that were updated last. Needs no credentials.',
  security: 'public',
  requestHeaders: CONDITIONAL_HEADERS,
  responses: {
    200: {
      description: 'The feed.',
      contentType: 'application/atom+xml',
      schema: z.string(),
      headers: REPRESENTATION_HEADERS,
      example: '<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom">…</feed>',
    },
    304: NOT_MODIFIED,
  },
});
