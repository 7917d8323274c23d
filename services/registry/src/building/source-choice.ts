import { READ_ERROR_CODES, type ReadErrorCode, UpstreamError } from '../upstream/errors.ts';
import type { BuildSource, SourceFiles } from './build-input.ts';
import type { Refusal, SourceReport } from './built-snapshot.ts';
import { guard } from './guards.ts';
import { type RecordCounts, readFiles } from './read-files.ts';
import type { SkillCollector } from './skill-collector.ts';

/** Which files of a source are used: the new ones, else those of the fallback, else none. */
export class SourceChoice {
  readonly #source: BuildSource;
  #files: SourceFiles | undefined;
  #counts: RecordCounts | undefined;
  #refused: Refusal | undefined;

  constructor(source: BuildSource) {
    this.#source = source;
    this.#files = source.files;
  }

  get files(): SourceFiles | undefined {
    return this.#files;
  }

  get refused(): Refusal | undefined {
    return this.#refused;
  }

  /**
   * False where the files are refused: what `collector` has got of them is to be thrown away, and the next choice to be
   * read.
   */
  read(index: number, collector: SkillCollector): boolean {
    if (this.#files === undefined) return true;
    const rejectedBefore = collector.report.rejected.length;
    try {
      this.#counts = readFiles(this.#files, index, collector);
      if (this.#files === this.#source.files) guard(this.#source, this.#counts);
    } catch (error) {
      this.#refuse(error, this.#files);
      return false;
    }
    for (const rejection of collector.report.rejected.slice(rejectedBefore)) rejection.source = this.#source.label;
    return true;
  }

  report(): SourceReport {
    return {
      label: this.#source.label,
      digest: this.#files?.digest,
      records: this.#counts?.usable ?? 0,
      skills: this.#counts ? this.#counts.usable - this.#counts.repeated : 0,
      rejected: this.#counts?.rejected ?? 0,
      refused: this.#refused,
    };
  }

  #refuse(error: unknown, files: SourceFiles): void {
    if (!(error instanceof UpstreamError && isReadError(error.code))) throw error;
    this.#refused ??= { digest: files.digest, code: error.code, message: error.message };
    this.#files = files === this.#source.files ? this.#source.fallback : undefined;
    this.#counts = undefined;
  }
}

function isReadError(code: string): code is ReadErrorCode {
  return READ_ERROR_CODES.includes(code as ReadErrorCode);
}
