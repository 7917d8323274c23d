import { orNull } from '@agent-fleet/shared/contract/fields';
import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { REJECTION_CODES, WARNING_CODES } from '../../skills/report.ts';
import { UPSTREAM_ERROR_CODES } from '../../source/errors.ts';

const timestamp = (description: string) => z.string().meta({ format: 'date-time', description });
const count = () => z.int().min(0);

const fault = z.object({
  code: z.enum(UPSTREAM_ERROR_CODES),
  message: z.string(),
  at: timestamp('Time of the error.'),
});
const FAULT = fault.meta({ id: 'RegistryFault' });

const REJECTED = z
  .object({
    index: count(),
    id: z.string().optional(),
    source: z.string().optional(),
    code: z.enum(REJECTION_CODES),
    message: z.string(),
  })
  .meta({ id: 'RejectedRecord' });
const REJECTIONS = z.object({ code: z.enum(REJECTION_CODES), count: count() }).meta({ id: 'RejectionCount' });
const WARNINGS = z.object({ code: z.enum(WARNING_CODES), count: count() }).meta({ id: 'WarningCount' });

const SOURCE_STATUS = z
  .object({
    source: z.string().meta({
      description: 'The configured address without credentials and query, or `shipped` for the skills that ship.',
    }),
    snapshot_id: z.string().nullable().meta({
      description:
        'The served version of the source: SHA-256 of its raw bytes, and of those of its shards or parts. Null until the source has been read once.',
    }),
    fetched_at: timestamp('Time when this version was first fetched.').nullable(),
    checked_at: timestamp('Time of the last check.').nullable(),
    next_check_at: timestamp(
      'No check before this time, which the source requested by `Retry-After` or `Cache-Control`.',
    ).nullable(),
    last_error: orNull(FAULT),
    refused: orNull(
      fault.extend({ snapshot_id: z.string() }).meta({ id: 'RefusedSnapshot' }),
      'The refused version that the source sends now. If the code is `empty`, `shrunk` or `mostly_rejected`, `REGISTRY_ACCEPT_SNAPSHOT` with this `snapshot_id` accepts it.',
    ),
    records: count().meta({ description: 'Usable records, before the records of all sources are merged.' }),
    rejected: count(),
    missing: count().meta({ description: 'Records that the source announces but does not send.' }),
  })
  .meta({ id: 'RegistrySourceStatus' });

const STATUS = z
  .object({
    source: z.string().meta({
      description: 'The configured sources without credentials and query, or `shipped` for the skills that ship.',
    }),
    snapshot_id: z
      .string()
      .meta({ description: 'Id of the snapshot. With a single source: SHA-256 of its raw bytes.' }),
    fetched_at: timestamp('Time when this snapshot was built.'),
    checked_at: timestamp('Time of the last check of a source, successful or not.').nullable(),
    age_seconds: count().meta({ description: 'Seconds since `fetched_at`.' }),
    stale: z.boolean().meta({
      description:
        'True if the last check of a source failed, if nothing of a source is served, or if a source could have been checked again more than three refresh intervals ago.',
    }),
    last_error: orNull(FAULT, 'The error of the last check; null if it succeeded.'),
    counts: z
      .object({
        skills: count(),
        categories: count(),
        tags: count(),
        rejected: count(),
        warnings: count(),
      })
      .meta({ id: 'RegistryCounts' }),
    sources: z.array(SOURCE_STATUS),
    rejected: z.array(REJECTED).meta({ description: 'The first 100 unusable records. `index` starts at 0.' }),
    rejections: z.array(REJECTIONS).meta({ description: 'Number of unusable records by code.' }),
    warnings: z
      .array(WARNINGS)
      .meta({ description: 'Number of corrections to records by code, and of missing records (`incomplete`).' }),
    duplicates: z.object({ count: count(), ids: z.array(z.string()) }).meta({
      id: 'RegistryDuplicates',
      description:
        'Duplicate records that were merged into another skill: their number, and the ids of the first 100 such skills.',
    }),
  })
  .meta({ id: 'RegistryStatus' });

export type RegistryStatus = z.output<typeof STATUS>;

export const getRegistryStatus = defineOperation({
  id: 'getRegistryStatus',
  method: 'get',
  path: '/api/registry/status',
  tag: 'Registry',
  summary: 'Read the sources of the skills and their freshness',
  description: 'Includes the rejected records and the corrections. Needs no credentials.',
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
            missing: 0,
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
