import { z } from 'zod';
import { type SourceDocument, unpackDocument } from '../source/document.ts';
import { UpstreamError } from '../source/errors.ts';

const MAX_POINTER_BYTES = 64 * 1024;
const MAX_SHARDS = 2_000;
const MAX_SHOWN_ISSUES = 5;
const MAX_ISSUE_LENGTH = 200;

/** Five hundred bytes for each shard of the largest manifest. Parsed at once, it must not block other requests. */
export const MAX_MANIFEST_BYTES = 1024 * 1024;

const POINTER = z.object({
  /** Relative to the pointer. */
  manifest: z.string(),
  total_count: z.int().min(0).optional().catch(undefined),
  skills: z.never().optional(),
  items: z.never().optional(),
});

const SHARD = z.object({
  id: z.union([z.string(), z.int()]).optional(),
  /** Relative to the manifest. */
  path: z.string().min(1).max(1_000),
  /** Number of records. */
  count: z.int().min(0).optional(),
  bytes: z.int().min(0),
  /** Of the uncompressed bytes; lower case once read. */
  sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/)
    .toLowerCase(),
});

/** The entry of one shard in a manifest. */
export type ShardEntry = z.output<typeof SHARD>;

/** Further keys are allowed; `gzip_path` is unused, as HTTP compresses the shards. */
const MANIFEST = z.object({
  schema_version: z.literal(1),
  total_count: z.int().min(0).optional(),
  shard_count: z.int().min(0).optional(),
  shards: z.array(SHARD).min(1).max(MAX_SHARDS),
});

export type Pointer = z.output<typeof POINTER>;

/** Parses a pointer, the small document that a large registry puts in its place; undefined for any other document. */
export function toPointer(document: SourceDocument): Pointer | undefined {
  if (document.bytes > MAX_POINTER_BYTES) return undefined;
  return POINTER.safeParse(parseJson(document)).data;
}

/** @throws UpstreamError `bad_manifest` */
export function readManifest(document: SourceDocument): z.output<typeof MANIFEST> {
  if (toPointer(document)) throw new UpstreamError('bad_manifest', 'The manifest is itself a pointer');
  const read = MANIFEST.safeParse(parseJson(document));
  if (!read.success) throw new UpstreamError('bad_manifest', toMessage(read.error), toCause(read.error));
  const { shards, shard_count: count } = read.data;
  if (count !== undefined && count !== shards.length) {
    throw new UpstreamError('bad_manifest', `The manifest declares ${count} shards but lists ${shards.length}`);
  }
  requireDistinct(shards.map(({ path }) => path));
  requireDistinct(shards.flatMap(({ id }) => (id === undefined ? [] : [String(id)])));
  return read.data;
}

/** The location of the first issue, without values of upstream. */
function toMessage({ issues: [issue] }: z.ZodError): string {
  const where = issue?.path.map(String).join('.').slice(0, 100);
  return `The manifest is not valid${where ? ` at ${where}` : ''}`;
}

/** The first few issues, for the log: thousands would make a line of megabytes. */
function toCause({ issues }: z.ZodError): Error {
  const shown = issues.slice(0, MAX_SHOWN_ISSUES).map(({ path, message }) => {
    return `${path.map(String).join('.')}: ${message}`.slice(0, MAX_ISSUE_LENGTH);
  });
  return new Error(`${issues.length} issues: ${shown.join('; ')}`);
}

function requireDistinct(names: readonly string[]): void {
  if (new Set(names).size < names.length) throw new UpstreamError('bad_manifest', 'The manifest lists a shard twice');
}

function parseJson(document: SourceDocument): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(unpackDocument(document)));
  } catch {
    return undefined;
  }
}
