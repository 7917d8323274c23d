import type { SkillIdentities } from '../merge/skill-identities.ts';

/** One fetched file of a source: plain bytes that can be passed to a worker thread. */
export interface SourceDocument {
  /** SHA-256 of the raw bytes, in hex. */
  digest: string;
  /** Number of raw bytes. */
  bytes: number;
  /** The raw bytes in gzip, one member. */
  packed: Uint8Array;
}

/** All files of one source at one time. */
export interface SourceFiles {
  /**
   * Identifies this version of the source: the digest of its only document, or the SHA-256 of all digests joined by
   * line breaks. An operator accepts it with `REGISTRY_ACCEPT_SNAPSHOT`.
   */
  digest: string;
  /** The registry file; or pointer, manifest and shards; or the first part and the others. */
  documents: readonly SourceDocument[];
  /** Indexes of the documents with records: the registry file, the shards or the parts. */
  recordDocuments: readonly number[];
  /** Number of records in each of the `recordDocuments`, as the manifest declares. */
  counts?: readonly (number | undefined)[];
  /** Number of all records, as the manifest or else the pointer declares. */
  totalCount?: number;
}

export interface BuildSource {
  /** As in `/api/registry/status`. */
  label: string;
  files: SourceFiles;
  /** The served files of this source, used if `files` are refused. */
  fallback?: SourceFiles;
  /** Number of served skills of the source; fewer than half of them is `shrunk`. */
  previousSkills?: number;
  /** Whether an operator accepts `files` even if they are empty, shrunk or mostly rejected. */
  isAccepted: boolean;
}

/** The same input gives the same snapshot on every replica. */
export interface BuildInput {
  sources: readonly BuildSource[];
  /** Of the served snapshot, to find the changes. */
  previous?: SkillIdentities;
}
