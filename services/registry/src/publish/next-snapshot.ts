import { LRUCache } from 'lru-cache';
import type { Builder } from '../build/builder.ts';
import type { BuildSource, BuiltSnapshot, Refusal } from '../build/built-snapshot.ts';
import { NoUsableSource } from '../build/source-choice.ts';
import { appendChange } from '../changes/change-log.ts';
import { advanceTrends } from '../changes/trends.ts';
import type { Validators } from '../fetch/source-reader.ts';
import { type Served, toServed } from '../serve/served.ts';
import { SkillTable } from '../skills/skill-table.ts';
import type { SourceFiles } from '../source/document.ts';
import { UpstreamError } from '../source/errors.ts';
import { MAX_SOURCES, type Source } from '../source/source.ts';
import { filesOf, type SnapshotMeta, type SourceMeta, type StoredSnapshot, snapshotId } from '../store/snapshot.ts';
import type { Outcome } from './source-checks.ts';

export interface NextOptions {
  sources: readonly Source[];
  /** Digests of files that an operator accepts. */
  accepted: ReadonlySet<string>;
  builder: Builder;
  signal: AbortSignal;
  /** The snapshot that is served. */
  own: Served | undefined;
  outcomes: readonly Outcome[];
  /** Its UUID, for `SnapshotMeta`. */
  installation?: string;
  /** The files that this process has refused, including those of this call. */
  refused: Refusals;
}

export interface NextSnapshot {
  /** Undefined without new files, or if all of them are refused. */
  served?: Served;
  /** Those of the options, and that the build failed. */
  outcomes: readonly Outcome[];
  /** By source key: new refusals, and files that were refused before and were fetched again. */
  refusals: Map<string, Refusal>;
  newRefusals: Refusal[];
}

/**
 * The last refusals by source, files and served files of the source: the result depends on nothing else, so that they
 * are not built again. Other replicas and later versions judge for themselves.
 */
export type Refusals = LRUCache<string, Refusal>;

export function createRefusals(): Refusals {
  return new LRUCache({ max: MAX_SOURCES * 2 });
}

/** The files of one source for the next snapshot. */
interface Candidate {
  source: Source;
  files: SourceFiles;
  validators: Validators;
  fetchedAt: number;
  /** The served files of this source. */
  current: { meta: SourceMeta; files: SourceFiles } | undefined;
  isNew: boolean;
}

/** Builds the next snapshot: from the files just fetched, or else the served ones, of each source. */
export async function buildNext(options: NextOptions): Promise<NextSnapshot> {
  const { sources, own, outcomes, builder, signal } = options;
  const next: NextSnapshot = { outcomes, refusals: new Map(), newRefusals: [] };
  const candidates = sources.flatMap((source) => toCandidate(source, options, next) ?? []);
  if (!candidates.some(({ isNew }) => isNew)) return next;
  try {
    const input = { sources: candidates.map((one) => toBuildSource(one, options)), previous: own?.built };
    const built = await builder.build(input, signal);
    const refusals = built.report.sources.map(({ refused }) => refused);
    noteRefusals(candidates, refusals, options, next);
    const stored = await toStored(candidates, built, options);
    if (stored) next.served = toServed(stored, built);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const refusals = error instanceof NoUsableSource ? error.refusals : [];
    noteRefusals(candidates, refusals, options, next);
    const failed = new Set(
      candidates.filter(({ isNew }, at) => isNew && !refusals[at]).map(({ source }) => source.key),
    );
    next.outcomes = outcomes.map((outcome) => {
      return failed.has(outcome.source.key) ? { source: outcome.source, at: outcome.at, error } : outcome;
    });
  }
  return next;
}

/** Undefined for a source without usable files. Files that were refused before are not built again. */
function toCandidate(source: Source, options: NextOptions, next: NextSnapshot): Candidate | undefined {
  const { own, outcomes, refused } = options;
  const meta = own?.meta.sources.find(({ key }) => key === source.key);
  const current = own && meta && { meta, files: filesOf(meta, own.documents) };
  const outcome = outcomes.find((one) => one.source.key === source.key);
  const fetched = outcome && 'fetched' in outcome ? outcome.fetched : undefined;
  const files = fetched?.status === 'fetched' ? fetched.files : undefined;
  const refusal = files && refused.get(refusalKey(source.key, files.digest, meta?.digest));
  if (refusal) next.refusals.set(source.key, refusal);
  else if (outcome && fetched && files && files.digest !== meta?.digest) {
    const { validators } = fetched;
    return { source, files, validators, fetchedAt: outcome.at, current, isNew: true };
  }
  if (!current) return undefined;
  const { validators, fetchedAt } = current.meta;
  return { source, files: current.files, validators, fetchedAt, current, isNew: false };
}

function toBuildSource({ source, files, current, isNew }: Candidate, { accepted }: NextOptions): BuildSource {
  if (!isNew) return { label: source.label, files, isAccepted: true };
  const isAccepted = accepted.has(files.digest);
  return { label: source.label, files, fallback: current?.files, previousSkills: current?.meta.skills, isAccepted };
}

/** `refusals` are by candidate. */
function noteRefusals(
  candidates: readonly Candidate[],
  refusals: readonly (Refusal | undefined)[],
  { refused }: NextOptions,
  next: NextSnapshot,
): void {
  for (const [at, { source, current, isNew }] of candidates.entries()) {
    const refusal = refusals[at];
    if (!refusal || !isNew) continue;
    next.refusals.set(source.key, refusal);
    next.newRefusals.push(refusal);
    refused.set(refusalKey(source.key, refusal.digest, current?.meta.digest), refusal);
  }
}

function refusalKey(key: string, digest: string, served = ''): string {
  return `${key} ${digest} ${served}`;
}

/** The built snapshot in its stored form; undefined when all new files were refused. */
async function toStored(
  candidates: readonly Candidate[],
  built: BuiltSnapshot,
  { own, outcomes, installation, sources: configured }: NextOptions,
): Promise<StoredSnapshot | undefined> {
  const sources: SourceMeta[] = [];
  const documents = new Map<string, Uint8Array>();
  for (const [at, candidate] of candidates.entries()) {
    const report = built.report.sources[at];
    const used = report?.refused ? candidate.current : candidate;
    if (used === undefined || report === undefined) continue;
    for (const { digest, packed } of used.files.documents) documents.set(digest, packed);
    sources.push('meta' in used ? used.meta : toSourceMeta(candidate, report.skills));
  }
  const id = snapshotId(sources, configured.length);
  if (sources.length === 0 || id === own?.meta.id) return undefined;
  // Later than the previous snapshot, even if the clocks of the replicas differ.
  const at = Math.max(...outcomes.map((outcome) => outcome.at), (own?.meta.at ?? 0) + 1);
  const meta: SnapshotMeta = { id, at, sources, installation };
  return { meta, documents, ...(await nextChanges(meta, built, own)) };
}

async function nextChanges(
  { id, at }: SnapshotMeta,
  { difference, skills }: BuiltSnapshot,
  own: Served | undefined,
): Promise<Pick<StoredSnapshot, 'history' | 'trends'>> {
  if (!own || !difference) return { history: [], trends: [] };
  const now = new SkillTable(skills);
  const step = { from: own.meta.id, to: id, at };
  return {
    history: appendChange(own.history, step, difference, own.skills, now),
    trends: await advanceTrends(own.trends, at, difference, own.skills, now),
  };
}

function toSourceMeta({ source, files, validators, fetchedAt, current, isNew }: Candidate, skills: number): SourceMeta {
  if (!isNew && current) return current.meta;
  const documents = files.documents.map(({ digest, bytes }) => ({ digest, bytes }));
  const { key, label } = source;
  const recordDocuments = [...files.recordDocuments];
  return { key, label, digest: files.digest, fetchedAt, skills, documents, recordDocuments, validators };
}
