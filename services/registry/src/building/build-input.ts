import type { SkillIdentities } from './skill-identities.ts';

/** One file of a source as it was fetched: plain bytes, so that it can be handed to a worker thread. */
export interface SourceDocument {
  /** SHA-256 of the raw bytes, in hex. */
  digest: string;
  /** How many raw bytes there are. */
  bytes: number;
  /** The raw bytes in gzip, one member. */
  packed: Uint8Array;
}

/** All files of one source at one time. */
export interface SourceFiles {
  /**
   * Names this state of the source: the digest of its only document, or the SHA-256 of the digests of all, joined by
   * line breaks. It is what an operator accepts by `REGISTRY_ACCEPT_SNAPSHOT`.
   */
  digest: string;
  /**
   * The first is the one behind the source's address: the registry itself, or a pointer. Behind a pointer come the
   * manifest and the shards.
   */
  documents: readonly SourceDocument[];
  /** Where the records are: all documents of a registry without shards, the shards' places otherwise. */
  recordDocuments: readonly number[];
  /** How many records the manifest says each of the `recordDocuments` has. */
  counts?: readonly (number | undefined)[];
  /** How many records the manifest, else the pointer, says there are in all. */
  totalCount?: number;
}

export interface BuildSource {
  /** As `/api/registry/status` names it. */
  label: string;
  files: SourceFiles;
  /** What is read instead when `files` are refused: what is served of this source now. */
  fallback?: SourceFiles;
  /** How many skills the source had before; fewer than half of them is `shrunk`. */
  previousSkills?: number;
  /** An operator accepts `files` though they are empty, shrunk or mostly rejected. */
  isAccepted: boolean;
}

/** All that a build depends on: the same input gives the same snapshot, on every replica. */
export interface BuildInput {
  sources: readonly BuildSource[];
  /** Of the snapshot that is served, to say what is added, changed and removed. */
  previous?: SkillIdentities;
}
