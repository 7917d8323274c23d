import type { SourceDocument } from '../source/source-files.ts';
import type { Validator } from './validators.ts';

/** The location of a file of a source. */
export interface FileLocation {
  url: URL;
  /** Whether it may have an internal address. */
  mayBeInternal: boolean;
}

export interface ReadFile {
  /** Undefined when the file matches the validator. */
  document: SourceDocument | undefined;
  validator: Validator;
  /** The final location, to which its references are relative. */
  location: FileLocation;
  freshForMs: number | undefined;
  /** Whether its content type is HTML. */
  isHtml: boolean;
}

/** Per file. */
export interface ReadLimits {
  /** Redirects, headers and body. */
  deadlineMs: number;
  /** Uncompressed; a shard may have 64 MiB, all shards 512 MiB. */
  maxBytes: number;
}

/** Reads the files of one source. */
export interface SourceReader {
  readonly root: FileLocation;
  /** @throws UpstreamError; the reason of `signal` when that aborts */
  read(
    location: FileLocation,
    known: Validator | undefined,
    limits: ReadLimits,
    signal: AbortSignal,
  ): Promise<ReadFile>;
  /** Resolves a reference in a file. @throws UpstreamError `bad_manifest` when it is not allowed */
  resolve(reference: string, from: FileLocation): FileLocation;
}
