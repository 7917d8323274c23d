import { z } from 'zod';
import type { SourceDocument } from '../source/document.ts';

const VALIDATOR = z.object({ etag: z.string().nullable(), lastModified: z.string().nullable() });

/** The validators of one file. */
export type Validator = z.output<typeof VALIDATOR>;

/** The validators of the files of a source, for conditional requests; plain JSON. */
export const VALIDATORS = z.object({
  root: VALIDATOR,
  /** `key` is a hash of the manifest's URL, which may contain a secret. */
  manifest: VALIDATOR.extend({ key: z.string() }).optional(),
});

export type Validators = z.output<typeof VALIDATORS>;

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
