import type { SourceDocument } from '../building/build-input.ts';
import type { Validator } from './validators.ts';

/** An address within a source. */
export interface FileLocation {
  url: URL;
  /** Whether it may lead to this machine or its network. */
  mayBeInternal: boolean;
}

export interface ReadFile {
  /** Undefined where the file is as the validator says. */
  document: SourceDocument | undefined;
  validator: Validator;
  /** Where it was found in the end: what it names stands beside it. */
  location: FileLocation;
  freshForMs: number | undefined;
  /** It was declared to be a web page. */
  isHtml: boolean;
}

export interface ReadLimits {
  deadlineMs: number;
  maxBytes: number;
}

/** Reads the files of one source, wherever it is. */
export interface SourceReader {
  readonly root: FileLocation;
  /** @throws UpstreamError; the reason of `signal` when that aborts */
  read(
    location: FileLocation,
    known: Validator | undefined,
    limits: ReadLimits,
    signal: AbortSignal,
  ): Promise<ReadFile>;
  /** Where a file is that another one names. @throws UpstreamError `bad_manifest` where it must not be */
  resolve(reference: string, from: FileLocation): FileLocation;
}
