import { defineOperation } from '@agent-fleet/shared/contract';
import { z } from 'zod';
import { CONDITIONAL_HEADERS, NOT_MODIFIED, REPRESENTATION_HEADERS } from '../http/contract.ts';
import { REJECTION_CODES, WARNING_CODES } from '../skills/report.ts';
import { UPSTREAM_ERROR_CODES } from '../upstream/errors.ts';

const timestamp = (description: string) => z.string().meta({ format: 'date-time', description });
const count = () => z.int().min(0);

const STATUS = z
  .object({
    source: z.string().meta({
      description:
        'What is served: the configured source without credentials and query, or `shipped` for the file that ships.',
    }),
    snapshot_id: z.string().meta({ description: 'SHA-256 of the raw bytes.' }),
    fetched_at: timestamp('When these bytes were first fetched.'),
    checked_at: timestamp('When the source was last asked, with success or not.').nullable(),
    age_seconds: count().meta({ description: 'Since `fetched_at`.' }),
    stale: z.boolean().meta({
      description:
        'The last check failed or is older than three refreshes, or the configured source has never answered.',
    }),
    last_error: z
      .object({ code: z.enum(UPSTREAM_ERROR_CODES), message: z.string(), at: timestamp('When.') })
      .nullable()
      .meta({ description: 'Why the last check failed; null when it did not.' }),
    counts: z.object({
      skills: count(),
      categories: count(),
      tags: count(),
      rejected: count(),
      warnings: count(),
    }),
    rejected: z
      .array(
        z.object({ index: count(), id: z.string().optional(), code: z.enum(REJECTION_CODES), message: z.string() }),
      )
      .meta({ description: 'The first hundred records that could not be used at all; `index` counts from 0.' }),
    warnings: z
      .array(z.object({ code: z.enum(WARNING_CODES), count: count() }))
      .meta({ description: 'What was mended in the records, by kind.' }),
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
        rejected: [{ index: 17, code: 'not_an_object', message: 'The record is not an object' }],
        warnings: [
          { code: 'id_doubled', count: 36 },
          { code: 'name_missing', count: 1 },
        ],
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
});
