import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import type { ChangeEntry } from '../changes/change-log.ts';
import type { Trends } from '../changes/trends.ts';
import { VALIDATORS } from '../fetch/source-reader.ts';
import type { SourceDocument, SourceFiles } from '../source/document.ts';
import { UPSTREAM_ERROR_CODES } from '../source/errors.ts';

const SOURCE_META = z.object({
  key: z.string(),
  label: z.string(),
  /** `SourceFiles.digest`. */
  digest: z.string(),
  /** When these files were first fetched, in milliseconds. */
  fetchedAt: z.int(),
  /** Usable records, each skill once. */
  skills: z.int(),
  documents: z.array(z.object({ digest: z.string(), bytes: z.int() })),
  recordDocuments: z.array(z.int()),
  validators: VALIDATORS,
});

/** One source within a snapshot. */
export type SourceMeta = z.output<typeof SOURCE_META>;

export const SNAPSHOT_META = z.object({
  id: z.string(),
  /** When it was made, in milliseconds; grows from one snapshot to the next. */
  at: z.int(),
  /** In the configured order, without sources that have never had a usable file. */
  sources: z.array(SOURCE_META),
  /** The UUID of the installation, if Redis loses it. The shipped file has none. */
  installation: z.uuid().optional(),
});

/** A snapshot without its bytes. */
export type SnapshotMeta = z.output<typeof SNAPSHOT_META>;

/** Identifies a snapshot. `id` alone does not: the same files may be served again later. */
export type SnapshotName = Pick<SnapshotMeta, 'id' | 'at'>;

export function nameOf({ id, at }: SnapshotName): string {
  return `${id}:${at}`;
}

/** A snapshot in its stored form, from which each replica builds the same result. */
export interface StoredSnapshot {
  meta: SnapshotMeta;
  /** Packed documents by digest. */
  documents: ReadonlyMap<string, Uint8Array>;
  /** The changes up to this snapshot, latest first. */
  history: readonly ChangeEntry[];
  trends: Trends;
}

const FAULT = z.object({ code: z.enum(UPSTREAM_ERROR_CODES), message: z.string(), at: z.int() });

/** An error and its time in milliseconds. */
export type Fault = z.output<typeof FAULT>;

const SOURCE_CHECK = z.object({
  /** When the source was last checked. */
  at: z.int(),
  error: FAULT.nullable(),
  /** Earliest next check, as the source demands. */
  nextAt: z.int(),
  /** Files that were fetched but refused. `digest` is the value that an operator may accept. */
  refused: FAULT.extend({ digest: z.string() }).nullable(),
  /** Latest validators of the files `digest`, which the source had at its last successful check. */
  validated: z.object({ digest: z.string(), validators: VALIDATORS }).nullable(),
});

export type SourceCheck = z.output<typeof SOURCE_CHECK>;

export const CHECK = z.object({ at: z.int(), sources: z.record(z.string(), SOURCE_CHECK) });

/** The last check of each source, by source key. `at` is the latest check of any source, in milliseconds. */
export type Check = z.output<typeof CHECK>;

/** For one source the digest of its files, for several a digest over all of these. */
export function snapshotId(sources: readonly { key: string; digest: string }[], configured: number): string {
  const [only] = sources;
  if (configured === 1 && only) return only.digest;
  return hash('sha256', sources.map(({ key, digest }) => `${key} ${digest}\n`).join(''));
}

/** The files of one source of a stored snapshot. @throws Error when a document is missing */
export function filesOf(source: SourceMeta, documents: ReadonlyMap<string, Uint8Array>): SourceFiles {
  const found = source.documents.map(({ digest, bytes }): SourceDocument => {
    const packed = documents.get(digest);
    if (packed === undefined) throw new Error('The stored snapshot lacks a document');
    return { digest, bytes, packed };
  });
  return { digest: source.digest, documents: found, recordDocuments: source.recordDocuments };
}

const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** JSON in gzip, for the history and the trends. */
export async function packJson(value: readonly unknown[]): Promise<Buffer> {
  return compress(JSON.stringify(value));
}

/** The parts of `packJson`; empty if they are missing or of another format. */
export async function unpackJson<Item>(
  schema: z.ZodType<Item[]>,
  packed: Uint8Array | null | undefined,
): Promise<Item[]> {
  if (!packed || packed.length === 0) return [];
  const json = (await decompress(packed, { maxOutputLength: MAX_UNPACKED_BYTES })).toString();
  return parseAs(schema, json) ?? [];
}

/** Undefined when missing or in another format, such as that of a later version. */
export function parseAs<Schema extends z.ZodType>(
  schema: Schema,
  json: string | null | undefined,
): z.output<Schema> | undefined {
  if (json === null || json === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
