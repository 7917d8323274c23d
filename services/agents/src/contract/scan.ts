import type { ListPage, RecordPage } from './lists.ts';

const MIB = 1024 * 1024;
/** What one request reads at most: some 50 ms of this process. */
const MAX_SCANNED = 10_000;
const MAX_SCANNED_BYTES = 16 * MIB;
/** A page of large records ends after this size. */
const MAX_FOUND_BYTES = 8 * MIB;

/** Some records in the order of the page, with their ids. */
export interface ScanStep {
  /** Records that were looked at, others than those of `rows` included. */
  scanned: number;
  rows: readonly (readonly [id: string, json: string])[];
  /** The id after which the next step begins; undefined after the last one. */
  next: string | undefined;
}

/**
 * Reads records one after the other until the page is full, or as many were read as a request may: then the page is
 * shorter, or empty, though more may follow after `next`.
 */
export async function scanPage(
  page: ListPage,
  readStep: (after: string | undefined) => Promise<ScanStep>,
  matches: (json: string) => boolean,
): Promise<Omit<RecordPage, 'total'>> {
  const records: string[] = [];
  let { skip, after } = page;
  for (let [scanned, bytes, foundBytes] = [0, 0, 0]; ; ) {
    const step = await readStep(after);
    const { rows, next } = step;
    for (const [id, json] of rows) {
      bytes += json.length;
      if (!matches(json)) continue;
      if (skip > 0) {
        skip--;
        continue;
      }
      records.push(json);
      foundBytes += json.length;
      if (records.length < page.limit && foundBytes < MAX_FOUND_BYTES) continue;
      const isLast = next === undefined && id === rows.at(-1)?.[0];
      return { records, passed: records.length, next: isLast ? null : { after: id } };
    }
    scanned += step.scanned;
    if (next === undefined) return { records, passed: records.length, next: null };
    after = next;
    if (scanned >= MAX_SCANNED || bytes >= MAX_SCANNED_BYTES) {
      return { records, passed: records.length, next: { after, skip } };
    }
  }
}
