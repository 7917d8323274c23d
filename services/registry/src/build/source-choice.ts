import { CollectedRecords, type PreviousRecords } from '../merge/collected-records.ts';
import { groupRecords } from '../merge/group-records.ts';
import { Report } from '../skills/report.ts';
import type { SourceFiles } from '../source/document.ts';
import { READ_ERROR_CODES, type ReadErrorCode, UpstreamError } from '../source/errors.ts';
import { toAddress } from '../source/source.ts';
import type { BuildSource, Refusal, SourceReport } from './built-snapshot.ts';
import { type Collector, type RecordCounts, readFiles } from './read-files.ts';

const NOTHING = { usable: 0, skills: 0, rejected: 0, missing: 0 };

/** Of one source. */
interface SourceCounts extends RecordCounts {
  /** Skills of this source alone. */
  skills: number;
}

/** Every source is refused. Has the code and message of the first refusal. */
export class NoUsableSource extends UpstreamError {
  /** By index of the source. */
  readonly refusals: readonly (Refusal | undefined)[];

  constructor(refusals: readonly (Refusal | undefined)[]) {
    const first = refusals.find((refusal) => refusal !== undefined);
    super(first?.code ?? 'empty', first?.message ?? 'There is no source');
    this.refusals = refusals;
  }
}

/**
 * Collects the records of all sources. Starts again when files are refused, so that nothing of them remains.
 * @throws NoUsableSource
 */
export function collectSources(choices: readonly SourceChoice[], previous: PreviousRecords | undefined): Collector {
  const labels = choices.map(({ label }) => label);
  while (choices.some(({ files }) => files !== undefined)) {
    const records = new CollectedRecords(labels, previous);
    const collector = { records, report: new Report() };
    // All sources, so that one round finds all refused files.
    const areRead = choices.map((choice, index) => choice.read(index, collector));
    records.close();
    if (areRead.every(Boolean)) return collector;
  }
  throw new NoUsableSource(choices.map(({ refused }) => refused));
}

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

/**
 * Refuses files that would lose many skills, such as a partial response of a broken upstream.
 * @throws UpstreamError `wrong_count`; `empty`, `shrunk` and `mostly_rejected` unless the files are accepted
 */
function guard(source: BuildSource, counts: SourceCounts): void {
  checkManifest(source, counts);
  if (source.isAccepted) return;
  const { usable, skills, rejected } = counts;
  const before = source.previousSkills ?? 0;
  const total = usable + rejected;
  if (usable === 0 && before === 0) refuse('empty', 'The registry contains no usable skill');
  if (skills * 2 < before) refuse('shrunk', `The registry contains ${skills} usable skills instead of ${before}`);
  if (rejected * 5 > total) refuse('mostly_rejected', `${rejected} of ${total} records are unusable`);
}

function checkManifest({ files }: BuildSource, { usable, rejected, byDocument }: SourceCounts): void {
  for (const [index, count] of byDocument.entries()) {
    const wanted = files.counts?.[index];
    if (wanted !== undefined && wanted !== count) {
      refuse('wrong_count', `Shard ${index + 1} contains ${count} records instead of ${wanted}`);
    }
  }
  const total = usable + rejected;
  if (files.totalCount !== undefined && files.totalCount !== total) {
    refuse('wrong_count', `The shards contain ${total} records instead of ${files.totalCount}`);
  }
}

function refuse(code: ReadErrorCode, message: string): never {
  throw new UpstreamError(code, message);
}
