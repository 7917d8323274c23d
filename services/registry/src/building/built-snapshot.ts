import type { SearchIndexData } from '../search/index-data.ts';
import type { Rejection, RejectionCode, WarningCode } from '../skills/report.ts';
import type { SkillTableData } from '../skills/skill-table.ts';
import type { ReadErrorCode } from '../upstream/errors.ts';
import type { SkillDifference, SkillIdentities } from './skill-identities.ts';

/** A body in every coding. */
export interface EncodedBody {
  /** First 32 hexadecimal digits of the SHA-256 of `identity`. */
  digest: string;
  identity: Uint8Array;
  gzip: Uint8Array;
  br: Uint8Array;
}

/** Why the files of a source are not used. */
export interface Refusal {
  /** `SourceFiles.digest` of what is refused. */
  digest: string;
  code: ReadErrorCode;
  message: string;
}

export interface SourceReport {
  label: string;
  /** `SourceFiles.digest` of what was used; undefined where nothing could be. */
  digest?: string;
  /** Usable records, before those of several sources are merged. */
  records: number;
  /** Of them, those that the source tells once. */
  skills: number;
  rejected: number;
  /** Set where `files` were refused; what was used then is the fallback, if there is one. */
  refused?: Refusal;
}

/** What was found wrong in the files of all sources. */
export interface BuildReport {
  sources: SourceReport[];
  rejectedCount: number;
  /** The first hundred. */
  rejected: Rejection[];
  /** All of them by code. */
  rejections: { code: RejectionCode; count: number }[];
  warnings: { code: WarningCode; count: number }[];
  /** Records that say the same skill again and went into another one; `ids` are the first hundred they went into. */
  duplicates: { count: number; ids: string[] };
}

/** A snapshot made ready to be served, as flat arrays: it moves from the worker thread without being copied. */
export interface BuiltSnapshot {
  /** Rows are in the order of names, then ids. */
  skills: SkillTableData;
  search: SearchIndexData;
  identities: SkillIdentities;
  /** Against `BuildInput.previous`; undefined without. */
  difference?: SkillDifference;
  bodies: {
    /** `/api/skills`; `identity` is `skills.list`. */
    list: EncodedBody;
    categories: EncodedBody;
    wellKnown: EncodedBody;
  };
  /** By source: its first document in br; only of documents of at most 8 MiB. */
  registryBr: (Uint8Array | undefined)[];
  counts: { skills: number; categories: number; tags: number };
  report: BuildReport;
}
