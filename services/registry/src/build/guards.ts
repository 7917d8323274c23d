import { type ReadErrorCode, UpstreamError } from '../source/errors.ts';
import type { BuildSource } from './build-input.ts';
import type { RecordCounts } from './read-files.ts';

/** Of one source. */
export interface SourceCounts extends RecordCounts {
  /** Skills of this source alone. */
  skills: number;
}

/**
 * Refuses files that would lose many skills, such as a partial response of a broken upstream.
 * @throws UpstreamError `wrong_count`; `empty`, `shrunk` and `mostly_rejected` unless the files are accepted
 */
export function guard(source: BuildSource, counts: SourceCounts): void {
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
