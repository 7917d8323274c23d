import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import {
  CONDITIONAL_HEADERS,
  NOT_MODIFIED,
  OVERLOADED,
  RAW_FILE_QUERY,
  REPRESENTATION_HEADERS,
} from '../http/contract.ts';
import { REJECTION_CODES, WARNING_CODES } from '../skills/report.ts';
import { UPSTREAM_ERROR_CODES } from '../upstream/errors.ts';

const timestamp = (description: string) => z.string().meta({ format: 'date-time', description });
const count = () => z.int().min(0);

const FAULT = z.object({ code: z.enum(UPSTREAM_ERROR_CODES), message: z.string(), at: timestamp('When.') });

const SOURCE_STATUS = z
  .object({
    source: z.string().meta({ description: 'The configured address without credentials and query, or `shipped`.' }),
    snapshot_id: z.string().nullable().meta({
      description:
        'What is served of it: SHA-256 of its raw bytes, or over those of its shards. Null while it has given nothing.',
    }),
    fetched_at: timestamp('When this was first fetched.').nullable(),
    checked_at: timestamp('When it was last asked.').nullable(),
    next_check_at: timestamp('Not before: its own wish, by `Retry-After` or `Cache-Control`.').nullable(),
    last_error: FAULT.nullable(),
    refused: FAULT.extend({ snapshot_id: z.string() }).nullable().meta({
      description:
        'What it sends now and is not served: `REGISTRY_ACCEPT_SNAPSHOT` with this `snapshot_id` accepts it where the code is `empty`, `shrunk` or `mostly_rejected`.',
    }),
    records: count().meta({ description: 'Usable ones, before those of several sources are merged.' }),
    rejected: count(),
  })
  .meta({ id: 'RegistrySourceStatus' });

const STATUS = z
  .object({
    source: z.string().meta({
      description:
        'What is served: the configured sources without credentials and query, or `shipped` for the file that ships.',
    }),
    snapshot_id: z.string().meta({ description: 'Of one source: SHA-256 of the raw bytes.' }),
    fetched_at: timestamp('When this snapshot was made.'),
    checked_at: timestamp('When a source was last asked, with success or not.').nullable(),
    age_seconds: count().meta({ description: 'Since `fetched_at`.' }),
    stale: z.boolean().meta({
      description:
        'The last check of a source failed or is older than three refreshes, or a source has never given anything.',
    }),
    last_error: FAULT.nullable().meta({ description: 'Why the last check failed; null when it did not.' }),
    counts: z.object({
      skills: count(),
      categories: count(),
      tags: count(),
      rejected: count(),
      warnings: count(),
    }),
    sources: z.array(SOURCE_STATUS),
    rejected: z
      .array(
        z.object({
          index: count(),
          id: z.string().optional(),
          source: z.string().optional(),
          code: z.enum(REJECTION_CODES),
          message: z.string(),
        }),
      )
      .meta({ description: 'The first hundred records that could not be used at all; `index` counts from 0.' }),
    rejections: z
      .array(z.object({ code: z.enum(REJECTION_CODES), count: count() }))
      .meta({ description: 'All records that could not be used, by kind.' }),
    warnings: z
      .array(z.object({ code: z.enum(WARNING_CODES), count: count() }))
      .meta({ description: 'What was mended in the records, by kind.' }),
    duplicates: z.object({ count: count(), ids: z.array(z.string()) }).meta({
      description:
        'Records that say a skill again and were merged into it: how many, and the first hundred of those skills.',
    }),
  })
  .meta({ id: 'RegistryStatus' });

export type RegistryStatus = z.output<typeof STATUS>;

export const getRegistryStatus = defineOperation({
  id: 'getRegistryStatus',
  method: 'get',
  path: '/api/registry/status',
  tag: 'Registry',
  summary: 'Read where the skills come from and how fresh they are',
  description: 'With what was rejected and mended in the raw file. Needs no credentials.',
  security: 'public',
  responses: {
    200: {
      description: 'The status.',
      schema: STATUS,
      example: {
        source: 'https://example.com/registry.json',
        snapshot_id: '3f0c9d0c5f1a0a9ad7d6f0b1ce0a6b7d4f9f2b1d0c3e5a7986a1b2c3d4e5f607',
        fetched_at: '2026-03-01T08:00:00.000Z',
        checked_at: '2026-03-01T09:55:00.000Z',
        age_seconds: 6_912,
        stale: false,
        last_error: null,
        counts: { skills: 2_928, categories: 10, tags: 2_056, rejected: 1, warnings: 37 },
        sources: [
          {
            source: 'https://example.com/registry.json',
            snapshot_id: '3f0c9d0c5f1a0a9ad7d6f0b1ce0a6b7d4f9f2b1d0c3e5a7986a1b2c3d4e5f607',
            fetched_at: '2026-03-01T08:00:00.000Z',
            checked_at: '2026-03-01T09:55:00.000Z',
            next_check_at: null,
            last_error: null,
            refused: null,
            records: 2_928,
            rejected: 1,
          },
        ],
        rejected: [
          {
            index: 17,
            source: 'https://example.com/registry.json',
            code: 'not_an_object',
            message: 'The record is not an object',
          },
        ],
        rejections: [{ code: 'not_an_object', count: 1 }],
        warnings: [
          { code: 'id_doubled', count: 36 },
          { code: 'name_missing', count: 1 },
        ],
        duplicates: { count: 0, ids: [] },
      },
    },
  },
});

export const getRegistryFile = defineOperation({
  id: 'getRegistryFile',
  method: 'get',
  path: '/registry.json',
  tag: 'Registry',
  summary: 'Read the raw registry file',
  description: 'Byte for byte as it was fetched from the source. Needs no credentials.',
  security: 'public',
  query: RAW_FILE_QUERY,
  requestHeaders: CONDITIONAL_HEADERS,
  responses: {
    200: {
      description: 'The file.',
      schema: z.unknown().meta({ description: 'JSON of any shape: it is upstream’s.' }),
      headers: REPRESENTATION_HEADERS,
      example: { version: '1.0.0', skills: [{ name: 'review-a-pull-request' }] },
    },
    304: NOT_MODIFIED,
  },
  errors: [OVERLOADED],
});
