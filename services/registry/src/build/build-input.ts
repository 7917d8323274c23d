import type { SourceFiles } from '../source/source-files.ts';
import type { BuiltSnapshot } from './built-snapshot.ts';

export interface BuildSource {
  /** As in `/api/registry/status`. */
  label: string;
  files: SourceFiles;
  /** The served files of this source, used if `files` are refused. */
  fallback?: SourceFiles;
  /** Number of served skills of the source; fewer than half of them is `shrunk`. */
  previousSkills?: number;
  /** Whether an operator accepts `files` even if they are empty, shrunk or mostly rejected. */
  isAccepted: boolean;
}

/** What a build takes over from the served snapshot. */
export type PreviousBuild = Pick<BuiltSnapshot, 'records' | 'skills' | 'search' | 'identities'>;

/** The same sources give the same snapshot on every replica, whatever was built before. */
export interface BuildInput {
  sources: readonly BuildSource[];
  /** Unchanged records are taken over from it, and changes are found against it. */
  previous?: PreviousBuild;
  /** Whether nothing is taken over. */
  isAnew?: boolean;
}
