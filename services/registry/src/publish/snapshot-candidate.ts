import { LRUCache } from 'lru-cache';
import type { BuildInput, BuildSource } from '../build/build-input.ts';
import type { BuiltSnapshot, Refusal } from '../build/built-snapshot.ts';
import { NoUsableSource } from '../build/no-usable-source.ts';
import { appendChange } from '../changes/change-log.ts';
import { advanceTrends } from '../changes/trends.ts';
import type { Validators } from '../fetch/validators.ts';
import type { Served } from '../serve/served.ts';
import { SkillTable } from '../skills/skill-table.ts';
import type { UpstreamError } from '../source/errors.ts';
import { MAX_SOURCES, type Source } from '../source/source.ts';
import type { SourceFiles } from '../source/source-files.ts';
import { filesOf, type SnapshotMeta, type SourceMeta, type StoredSnapshot, snapshotId } from '../store/snapshot.ts';
import type { Outcome } from './source-checks.ts';

export interface SnapshotCandidateOptions {
  sources: readonly Source[];
  /** Digests of files that an operator accepts. */
  accepted: ReadonlySet<string>;
  /** The snapshot that is served. */
  own: Served | undefined;
  outcomes: readonly Outcome[];
  /** Its UUID, for `SnapshotMeta`. */
  installation?: string;
  /** The files that this process has refused, including those of this candidate. */
  refused: Refusals;
}

/**
 * The last refusals by source, files and served files of the source: the result depends on nothing else, so that they
 * are not built again. Other replicas and later versions judge for themselves.
 */
export type Refusals = LRUCache<string, Refusal>;

export function createRefusals(): Refusals {
  return new LRUCache({ max: MAX_SOURCES * 2 });
}

function refusalKey(key: string, digest: string, served = ''): string {
  return `${key} ${digest} ${served}`;
}

/** One source on its way into a new snapshot. */
interface SourceCandidate {
  source: Source;
  files: SourceFiles;
  validators: Validators;
  fetchedAt: number;
  /** The served files of this source. */
  current: { meta: SourceMeta; files: SourceFiles } | undefined;
  isNew: boolean;
}

/** The next snapshot: for each source the files just fetched, or else the served ones. */
export class SnapshotCandidate {
  readonly #options: SnapshotCandidateOptions;
  readonly #candidates: SourceCandidate[];
  /** By source key: new refusals and files that were refused before and were fetched again. */
  readonly refusals = new Map<string, Refusal>();
  readonly newRefusals = new Map<string, Refusal>();
  outcomes: readonly Outcome[];

  constructor(options: SnapshotCandidateOptions) {
    this.#options = options;
    this.outcomes = options.outcomes;
    this.#candidates = options.sources.flatMap((source) => this.#toSourceCandidate(source) ?? []);
  }

  /** Whether there are new files. Files that were refused before are not built again. */
  get isNeeded(): boolean {
    return this.#candidates.some(({ isNew }) => isNew);
  }

  get input(): BuildInput {
    const { own, accepted } = this.#options;
    const sources = this.#candidates.map(({ source, files, current, isNew }): BuildSource => {
      if (!isNew) return { label: source.label, files, isAccepted: true };
      const previousSkills = current?.meta.skills;
      const isAccepted = accepted.has(files.digest);
      return { label: source.label, files, fallback: current?.files, previousSkills, isAccepted };
    });
    return { sources, previous: own?.built };
  }

  /** The built snapshot in its stored form; undefined when all new files were refused. */
  async complete(built: BuiltSnapshot): Promise<StoredSnapshot | undefined> {
    const { own, installation, sources: configured } = this.#options;
    const sources: SourceMeta[] = [];
    const documents = new Map<string, Uint8Array>();
    for (const [at, candidate] of this.#candidates.entries()) {
      const report = built.report.sources[at];
      if (report?.refused) this.#refuse(candidate, report.refused);
      const used = report?.refused ? candidate.current : candidate;
      if (used === undefined || report === undefined) continue;
      for (const { digest, packed } of used.files.documents) documents.set(digest, packed);
      sources.push('meta' in used ? used.meta : toSourceMeta(candidate, report.skills));
    }
    const id = snapshotId(sources, configured.length);
    if (sources.length === 0 || id === own?.meta.id) return undefined;
    // Later than the previous snapshot, even if the clocks of the replicas differ.
    const at = Math.max(...this.outcomes.map((outcome) => outcome.at), (own?.meta.at ?? 0) + 1);
    const meta: SnapshotMeta = { id, at, sources, installation };
    return { meta, documents, ...(await this.#nextChanges(meta, built)) };
  }

  async #nextChanges(
    { id, at }: SnapshotMeta,
    { difference, skills }: BuiltSnapshot,
  ): Promise<Pick<StoredSnapshot, 'history' | 'trends'>> {
    const { own } = this.#options;
    if (!own || !difference) return { history: [], trends: [] };
    const now = new SkillTable(skills);
    const step = { from: own.meta.id, to: id, at };
    return {
      history: appendChange(own.history, step, difference, own.skills, now),
      trends: await advanceTrends(own.trends, at, difference, own.skills, now),
    };
  }

  /** Records that the build failed. */
  fail(error: UpstreamError): void {
    const failed = new Set<string>();
    for (const [at, candidate] of this.#candidates.entries()) {
      if (!candidate.isNew) continue;
      const refusal = error instanceof NoUsableSource ? error.refusals[at] : undefined;
      if (refusal) this.#refuse(candidate, refusal);
      else failed.add(candidate.source.key);
    }
    this.outcomes = this.outcomes.map((outcome) => {
      return failed.has(outcome.source.key) ? { source: outcome.source, at: outcome.at, error } : outcome;
    });
  }

  #refuse({ source: { key }, current }: SourceCandidate, refusal: Refusal): void {
    this.refusals.set(key, refusal);
    this.newRefusals.set(key, refusal);
    this.#options.refused.set(refusalKey(key, refusal.digest, current?.meta.digest), refusal);
  }

  #toSourceCandidate(source: Source): SourceCandidate | undefined {
    const { own } = this.#options;
    const meta = own?.meta.sources.find(({ key }) => key === source.key);
    const current = own && meta && { meta, files: filesOf(meta, own.documents) };
    const outcome = this.outcomes.find((one) => one.source.key === source.key);
    const fetched = outcome && 'fetched' in outcome ? outcome.fetched : undefined;
    const files = fetched?.status === 'fetched' ? fetched.files : undefined;
    const refusal = files && this.#options.refused.get(refusalKey(source.key, files.digest, meta?.digest));
    if (refusal) this.refusals.set(source.key, refusal);
    else if (outcome && fetched && files && files.digest !== meta?.digest) {
      const { validators } = fetched;
      return { source, files, validators, fetchedAt: outcome.at, current, isNew: true };
    }
    if (!current) return undefined;
    const { validators, fetchedAt } = current.meta;
    return { source, files: current.files, validators, fetchedAt, current, isNew: false };
  }
}

function toSourceMeta(
  { source, files, validators, fetchedAt, current, isNew }: SourceCandidate,
  skills: number,
): SourceMeta {
  if (!isNew && current) return current.meta;
  const documents = files.documents.map(({ digest, bytes }) => ({ digest, bytes }));
  const { key, label } = source;
  return {
    key,
    label,
    digest: files.digest,
    fetchedAt,
    skills,
    documents,
    recordDocuments: [...files.recordDocuments],
    validators,
  };
}
