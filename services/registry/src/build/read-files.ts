import type { CollectedRecords } from '../merge/collected-records.ts';
import { normaliseRecord } from '../normalise/normalise.ts';
import { type RegistryDocument, readDocument, readShard } from '../read/registry-document.ts';
import { RecordReport, type Report } from '../skills/report.ts';
import { release } from '../source/release.ts';
import type { SourceFiles } from '../source/source-files.ts';
import { unpack } from '../source/unpack.ts';
import type { SnapshotIndex } from './snapshot-index.ts';

/** Of one source. */
export interface RecordCounts {
  usable: number;
  rejected: number;
  /** Usable and rejected records by index in `recordDocuments`. */
  byDocument: number[];
}

/** Where the records of all sources go. */
export interface Collector {
  records: CollectedRecords;
  index: SnapshotIndex;
  report: Report;
}

/**
 * Passes all records of one source to `collector`. Holds the raw bytes of one document at a time.
 * @throws UpstreamError `empty`, `html`, `not_json`, `unknown_shape`
 * @throws Error for damaged documents
 */
export function readFiles(files: SourceFiles, source: number, collector: Collector): RecordCounts {
  const counts: RecordCounts = { usable: 0, rejected: 0, byDocument: [] };
  const read = files.recordDocuments.includes(0) ? readDocument : readShard;
  for (const index of files.recordDocuments) {
    const document = files.documents[index];
    if (document === undefined) throw new RangeError('A source has fewer documents than it lists');
    const raw = unpack(document);
    try {
      const before = counts.usable + counts.rejected;
      collect(read(raw), source, collector, counts);
      counts.byDocument.push(counts.usable + counts.rejected - before);
    } finally {
      release(raw);
    }
  }
  return counts;
}

function collect(document: RegistryDocument, source: number, collector: Collector, counts: RecordCounts): void {
  const { records, index, report } = collector;
  records.categories.declare(document.declared);
  const keyOf = records.keysIn(source, document.context);
  const before = counts.usable + counts.rejected;
  for (const entry of document.entries()) {
    const key = keyOf(entry.bytes);
    if (records.takeOver(key, source)) {
      counts.usable++;
      continue;
    }
    const notes = new RecordReport();
    const record = entry.read();
    // Consecutive over all documents of the source.
    record.index += before;
    const draft = normaliseRecord(record, notes);
    if (draft === undefined) {
      counts.rejected++;
      if (notes.rejection) report.reject(notes.rejection);
      for (const code of notes.warnings) report.warn(code);
      continue;
    }
    counts.usable++;
    index.noteRecord(records.add(draft, key, source, records.warnings.numberOf(notes.warnings)), draft.skill);
  }
}
