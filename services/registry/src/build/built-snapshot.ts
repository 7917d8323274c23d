import type { SkillDifference, SkillIdentities } from '../changes/skill-difference.ts';
import type { SearchIndexData } from '../index/index-data.ts';
import type { PreviousRecords } from '../merge/collected-records.ts';
import type { Rejection, RejectionCode, WarningCode } from '../skills/report.ts';
import type { SkillTableData } from '../skills/skill-table.ts';
import type { SourceFiles } from '../source/document.ts';
import type { ReadErrorCode } from '../source/errors.ts';

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
export type PreviousBuild = Pick<BuiltSnapshot, 'records' | 'identities' | 'counts'>;

/** The same sources give the same snapshot on every replica, whatever was built before. */
export interface BuildInput {
  sources: readonly BuildSource[];
  /** Unchanged records are taken over from it, and changes are found against it. */
  previous?: PreviousBuild;
  /** Whether nothing is taken over. */
  isAnew?: boolean;
}

/** Why the files of a source are not used. */
export interface Refusal {
  /** `SourceFiles.digest` of the refused files. */
  digest: string;
  code: ReadErrorCode;
  message: string;
}

export interface SourceReport {
  label: string;
  /** `SourceFiles.digest` of the used files; undefined if none are usable. */
  digest?: string;
  /** Usable records, before the records of all sources are merged. */
  records: number;
  /** `records` without duplicates within the source. */
  skills: number;
  rejected: number;
  /** Records that the files announce but do not contain. */
  missing: number;
  /** Set if `files` were refused; the fallback was used instead, if it is usable. */
  refused?: Refusal;
}

/** Problems in the files of all sources. */
export interface BuildReport {
  sources: SourceReport[];
  rejectedCount: number;
  /** The first hundred. */
  rejected: Rejection[];
  rejections: { code: RejectionCode; count: number }[];
  warnings: { code: WarningCode; count: number }[];
  /** Records that were merged into another one; `ids` are the first hundred of the latter. */
  duplicates: { count: number; ids: string[] };
}

/** A snapshot ready for serving, as flat arrays in memory that threads share. */
export interface BuiltSnapshot {
  /** Rows are those of listed kinds first, then in the order of names, then ids. */
  skills: SkillTableData;
  search: SearchIndexData;
  identities: SkillIdentities;
  /** For the next build. */
  records: PreviousRecords;
  /** The listed skills, compared with those of `BuildInput.previous`, if that is set. */
  difference?: SkillDifference;
  /** `/api/categories`. */
  categories: Uint8Array;
  /** Of listed skills. */
  counts: { skills: number; categories: number; tags: number };
  report: BuildReport;
}

/** The single message of the worker thread of a build. `failed`: a defect or damaged documents. */
export type BuildOutcome =
  | { status: 'built'; snapshot: BuiltSnapshot }
  /** See `NoUsableSource`. */
  | { status: 'refused'; refusals: readonly (Refusal | undefined)[] }
  | { status: 'failed'; message: string };
