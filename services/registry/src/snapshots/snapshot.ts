import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import type { SourceDocument, SourceFiles } from '../building/build-input.ts';
import { CHANGE_ENTRIES, type ChangeEntry } from '../changes/change-log.ts';
import { UPSTREAM_ERROR_CODES } from '../upstream/errors.ts';
import { VALIDATORS } from '../upstream/validators.ts';

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

const SNAPSHOT_META = z.object({
  id: z.string(),
  /** When it was made, in milliseconds; grows from one snapshot to the next. */
  at: z.int(),
  /** In the order in which they are configured; without those that never gave anything usable. */
  sources: z.array(SOURCE_META),
});

/** A snapshot without its bytes. */
export type SnapshotMeta = z.output<typeof SNAPSHOT_META>;

/** Which snapshot: the same files may make one again later. */
export type SnapshotName = Pick<SnapshotMeta, 'id' | 'at'>;

export function nameOf({ id, at }: SnapshotName): string {
  return `${id}:${at}`;
}

/** A snapshot as it is stored: from it each replica builds the same. */
export interface StoredSnapshot {
  meta: SnapshotMeta;
  /** Packed documents by digest. */
  documents: ReadonlyMap<string, Uint8Array>;
  /** What changed up to this snapshot, the latest first. */
  history: readonly ChangeEntry[];
}

const FAULT = z.object({ code: z.enum(UPSTREAM_ERROR_CODES), message: z.string(), at: z.int() });

/** What went wrong, and when, in milliseconds. */
export type Fault = z.output<typeof FAULT>;

const SOURCE_CHECK = z.object({
  /** When the source was asked last. */
  at: z.int(),
  error: FAULT.nullable(),
  /** Not to be asked again before, by the word of the source. */
  nextAt: z.int(),
  /** What it sent last and is not served, though it could be read: `digest` is what an operator may accept. */
  refused: FAULT.extend({ digest: z.string() }).nullable(),
  /** What was said last of the files named by `digest`, which were the source's at the last check that did not fail. */
  validated: z.object({ digest: z.string(), validators: VALIDATORS }).nullable(),
});

export type SourceCheck = z.output<typeof SOURCE_CHECK>;

const CHECK = z.object({ at: z.int(), sources: z.record(z.string(), SOURCE_CHECK) });

/** How the last check of each source went, by its key. `at`: when any was checked last, in milliseconds. */
export type Check = z.output<typeof CHECK>;

/** With one source the digest of its files, with several one over all of them. */
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

/** Undefined for what is not there or not ours, such as what a later version wrote. */
export function parseMeta(json: string | null | undefined): SnapshotMeta | undefined {
  return parseAs(SNAPSHOT_META, json);
}

export function parseCheck(json: string | null): Check | undefined {
  return parseAs(CHECK, json);
}

const MAX_HISTORY_BYTES = 64 * 1024 * 1024;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export async function packHistory(history: readonly ChangeEntry[]): Promise<Buffer> {
  return compress(JSON.stringify(history));
}

/** Empty for what is not ours. */
export async function unpackHistory(packed: Uint8Array | null): Promise<ChangeEntry[]> {
  if (!packed) return [];
  const json = (await decompress(packed, { maxOutputLength: MAX_HISTORY_BYTES })).toString();
  return parseAs(CHANGE_ENTRIES, json) ?? [];
}

function parseAs<Schema extends z.ZodType>(
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
