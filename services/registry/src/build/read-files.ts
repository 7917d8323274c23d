import type { SkillCollector } from '../merge/skill-collector.ts';
import { normaliseRecord } from '../normalise/normalise.ts';
import { Completeness } from '../read/completeness.ts';
import { type RegistryDocument, readDocument, readPart } from '../read/registry-document.ts';
import { release, unpack } from '../source/unpack.ts';
import type { SourceFiles } from './build-input.ts';

/** Of one source, before records are merged. */
export interface RecordCounts {
  usable: number;
  /** Usable duplicates within the source. */
  repeated: number;
  rejected: number;
  /** Records that the files announce but do not contain. */
  missing: number;
  /** Usable and rejected records by index in `recordDocuments`. */
  byDocument: number[];
}

/**
 * Passes all records of one source to `collector`. `address` is the public URL of the source. Holds the raw bytes of one document at a time.
 * @throws UpstreamError `empty`, `html`, `not_json`, `unknown_shape`
 * @throws Error for damaged documents
 */
export function readFiles(
  files: SourceFiles,
  address: string | undefined,
  source: number,
  collector: SkillCollector,
): RecordCounts {
  const counts: RecordCounts = { usable: 0, repeated: 0, rejected: 0, missing: 0, byDocument: [] };
  const repeatedBefore = collector.repeatedCount;
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
  counts.repeated = collector.repeatedCount - repeatedBefore;
  counts.missing = completeness.missing(counts.usable + counts.rejected);
  if (counts.missing > 0) collector.report.warn('incomplete', counts.missing);
  return counts;
}

function collect(document: RegistryDocument, source: number, collector: SkillCollector, counts: RecordCounts): void {
  collector.categories.declare(document.declared);
  const before = counts.usable + counts.rejected;
  for (const record of document.records()) {
    // Consecutive over all documents of the source.
    record.index += before;
    const draft = normaliseRecord(record, collector.report);
    if (draft === undefined) counts.rejected++;
    else {
      counts.usable++;
      collector.add(draft, source);
    }
  }
}
