import { CollectedRecords, type PreviousRecords } from '../merge/collected-records.ts';
import { Report } from '../skills/report.ts';
import { NoUsableSource } from './no-usable-source.ts';
import type { Collector } from './read-files.ts';
import { SnapshotIndex } from './snapshot-index.ts';
import type { SourceChoice } from './source-choice.ts';

/**
 * Collects the records of all sources. Starts again when files are refused, so that nothing of them remains.
 * @throws NoUsableSource
 */
export function collectSources(choices: readonly SourceChoice[], previous: PreviousRecords | undefined): Collector {
  const labels = choices.map(({ label }) => label);
  while (choices.some(({ files }) => files !== undefined)) {
    const records = new CollectedRecords(labels, previous);
    const collector = { records, index: new SnapshotIndex(), report: new Report() };
    // All sources, so that one round finds all refused files.
    const areRead = choices.map((choice, index) => choice.read(index, collector));
    records.close();
    if (areRead.every(Boolean)) return collector;
  }
  throw new NoUsableSource(choices.map(({ refused }) => refused));
}
