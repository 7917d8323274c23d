import { hash } from 'node:crypto';
import { z } from 'zod';
import { UPSTREAM_ERROR_CODES } from '../upstream/errors.ts';

const SNAPSHOT_META = z.object({
  /** SHA-256 of the bytes, in hex. */
  id: z.string(),
  /** When these bytes were first fetched, in milliseconds; grows from one snapshot of a source to the next. */
  fetchedAt: z.int(),
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
});

export type SnapshotMeta = z.output<typeof SNAPSHOT_META>;

/** A registry file as fetched. */
export interface Snapshot {
  meta: SnapshotMeta;
  bytes: Buffer;
}

const CHECK = z.object({
  /** Milliseconds. */
  at: z.int(),
  error: z.object({ code: z.enum(UPSTREAM_ERROR_CODES), message: z.string() }).nullable(),
});

/** How the last check of upstream went. */
export type Check = z.output<typeof CHECK>;

export function snapshotId(bytes: Buffer): string {
  return hash('sha256', bytes);
}

/** Undefined for what is not there or not ours, such as what a later version wrote. */
export function parseMeta(json: string | null): SnapshotMeta | undefined {
  return parseAs(SNAPSHOT_META, json);
}

export function parseCheck(json: string | null): Check | undefined {
  return parseAs(CHECK, json);
}

function parseAs<Schema extends z.ZodType>(schema: Schema, json: string | null): z.output<Schema> | undefined {
  if (json === null) return undefined;
  try {
    return schema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
