import { release } from '../memory/arrays.ts';
import type { CollectedRecords } from '../merge/collected-records.ts';
import { normaliseRecord } from '../normalise/normalise.ts';
import { Completeness } from '../read/continuation.ts';
import { type RegistryDocument, readDocument, readPart } from '../read/registry-document.ts';
import { RecordReport, type Report } from '../skills/report.ts';
import { type SourceFiles, unpack } from '../source/document.ts';

/** Of one source. */
export interface RecordCounts {
  usable: number;
  rejected: number;
  /** Records that the files announce but do not contain. */
  missing: number;
  /** Usable and rejected records by index in `recordDocuments`. */
  byDocument: number[];
}

/** Where the records of all sources go. */
export interface Collector {
  records: CollectedRecords;
  report: Report;
}

/**
 * Passes all records of one source to `collector`. `address` is the public URL of the source. Holds the raw bytes of
 * one document at a time.
 * @throws UpstreamError `empty`, `html`, `not_json`, `unknown_shape`
 * @throws Error for damaged documents
 */
export function readFiles(
  files: SourceFiles,
  address: string | undefined,
  source: number,
  collector: Collector,
): RecordCounts {
  const counts: RecordCounts = { usable: 0, rejected: 0, missing: 0, byDocument: [] };
  const completeness = new Completeness();
  const [first] = files.documents;
  // A list of chunks, or a pointer.
  if (first && !files.recordDocuments.includes(0)) completeness.note(readPart(unpack(first)).continuation);
  for (const index of files.recordDocuments) {
    const document = files.documents[index];
    if (document === undefined) throw new RangeError('A source has fewer documents than it lists');
    const raw = unpack(document);
    try {
      const before = counts.usable + counts.rejected;
      const read = readDocument(raw, address);
      completeness.note(read.continuation);
      collect(read, source, collector, counts);
      counts.byDocument.push(counts.usable + counts.rejected - before);
    } finally {
      release(raw);
    }
  }
  counts.missing = completeness.missing(counts.usable + counts.rejected);
  if (counts.missing > 0) collector.report.warn('incomplete', counts.missing);
  return counts;
}

function collect(document: RegistryDocument, source: number, collector: Collector, counts: RecordCounts): void {
  const { records, report } = collector;
  records.categories.declare(document.declared);
  const before = counts.usable + counts.rejected;
  for (const entry of document.entries()) {
    const key = records.keyOf(entry.bytes, source, entry.context);
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
      for (const [code, count] of notes.warnings) report.warn(code, count);
      continue;
    }
    counts.usable++;
    records.add(draft, key, source, records.warnings.numberOf(notes.warnings));
  }
}
