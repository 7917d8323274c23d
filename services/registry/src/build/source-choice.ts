import type { SkillCollector } from '../merge/skill-collector.ts';
import { READ_ERROR_CODES, type ReadErrorCode, UpstreamError } from '../source/errors.ts';
import { toAddress } from '../source/source.ts';
import type { BuildSource, SourceFiles } from './build-input.ts';
import type { Refusal, SourceReport } from './built-snapshot.ts';
import { guard } from './guards.ts';
import { type RecordCounts, readFiles } from './read-files.ts';

/** Selects the files of a source: the new ones, else the fallback, else none. */
export class SourceChoice {
  files: SourceFiles | undefined;
  refused: Refusal | undefined;
  readonly #source: BuildSource;
  #counts: RecordCounts | undefined;

  constructor(source: BuildSource) {
    this.#source = source;
    this.files = source.files;
  }

  /** False if the files are refused. The collector must then be discarded, and `files` has the next choice. */
  read(index: number, collector: SkillCollector): boolean {
    if (this.files === undefined) return true;
    const rejectedBefore = collector.report.rejected.length;
    try {
      this.#counts = readFiles(this.files, toAddress(this.#source.label), index, collector);
      if (this.files === this.#source.files) guard(this.#source, this.#counts);
    } catch (error) {
      this.#refuse(error, this.files);
      return false;
    }
    for (const rejection of collector.report.rejected.slice(rejectedBefore)) rejection.source = this.#source.label;
    return true;
  }

  report(): SourceReport {
    const { usable, repeated, rejected, missing } = this.#counts ?? { usable: 0, repeated: 0, rejected: 0, missing: 0 };
    return {
      label: this.#source.label,
      digest: this.files?.digest,
      records: usable,
      skills: usable - repeated,
      rejected,
      missing,
      refused: this.refused,
    };
  }

  #refuse(error: unknown, files: SourceFiles): void {
    if (!(error instanceof UpstreamError && isReadError(error.code))) throw error;
    this.refused ??= { digest: files.digest, code: error.code, message: error.message };
    this.files = files === this.#source.files ? this.#source.fallback : undefined;
    this.#counts = undefined;
  }
}

function isReadError(code: string): code is ReadErrorCode {
  return READ_ERROR_CODES.includes(code as ReadErrorCode);
}
