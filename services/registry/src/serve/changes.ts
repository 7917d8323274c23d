import { linkTo, queryInteger } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { type ChangeEntry, changesSince, foldChanges } from '../changes/change-log.ts';
import { defineCacheable } from './http/contract.ts';
import { encode } from './http/encoding.ts';
import { type RequestContext, sendCached } from './http/send.ts';
import { digestOf } from './http/validators.ts';

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

type Changes = z.output<typeof CHANGES>;

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

type ChangesQuery = z.output<typeof CHANGES_QUERY>;

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

/** `GET /api/changes`. @throws 410 if the history does not reach back to the snapshot */
export async function sendChanges(context: RequestContext, { since, limit }: ChangesQuery): Promise<undefined> {
  const { served, req, res, cache } = context;
  const latest = served.meta.id;
  const entries = changesSince(served.history, latest, since, limit);
  const to = entries.at(-1)?.to ?? latest;
  const key = `changes ${entries.length} ${since} ${to}`;
  if (to !== latest) res.setHeader('link', linkTo(req.originalUrl, { since: to }, 'next'));
  return sendCached(context, {
    digest: () => digestOf(`${key} ${latest}`),
    whole: (wanted) => {
      const make = () => encode(writeChanges({ from: since, to, latest }, entries), wanted);
      return cache.result(served, `${wanted} ${key}`, make);
    },
  });
}

function writeChanges(ids: Pick<Changes, 'from' | 'to' | 'latest'>, entries: ChangeEntry[]): Buffer {
  const changes: Changes = { ...ids, ...foldChanges(entries) };
  return Buffer.from(JSON.stringify(changes));
}
