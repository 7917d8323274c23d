import { groupRecords } from '../merge/group-records.ts';
import { READ_ERROR_CODES, type ReadErrorCode, UpstreamError } from '../source/errors.ts';
import { toAddress } from '../source/source.ts';
import type { SourceFiles } from '../source/source-files.ts';
import type { BuildSource } from './build-input.ts';
import type { Refusal, SourceReport } from './built-snapshot.ts';
import { guard, type SourceCounts } from './guards.ts';
import { type Collector, readFiles } from './read-files.ts';

const NOTHING = { usable: 0, skills: 0, rejected: 0, missing: 0 };

/** Selects the files of a source: the new ones, else the fallback, else none. */
export class SourceChoice {
  files: SourceFiles | undefined;
  refused: Refusal | undefined;
  readonly #source: BuildSource;
  #counts: SourceCounts | undefined;

  constructor(source: BuildSource) {
    this.#source = source;
    this.files = source.files;
  }

  get label(): string {
    return this.#source.label;
  }

  /** False if the files are refused. The collector must then be discarded, and `files` has the next choice. */
  read(index: number, collector: Collector): boolean {
    if (this.files === undefined) return true;
    const rejectedBefore = collector.report.rejected.length;
    try {
      const { columns } = collector.records;
      const first = columns.count;
      const counts = readFiles(this.files, toAddress(this.#source.label), index, collector);
      this.#counts = { ...counts, skills: groupRecords(columns, first).count };
      if (this.files === this.#source.files) guard(this.#source, this.#counts);
    } catch (error) {
      this.#refuse(error, this.files);
      return false;
    }
    for (const rejection of collector.report.rejected.slice(rejectedBefore)) rejection.source = this.#source.label;
    return true;
  }

  report(): SourceReport {
    const { usable, skills, rejected, missing } = this.#counts ?? NOTHING;
    return {
      label: this.#source.label,
      digest: this.files?.digest,
      records: usable,
      skills,
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
