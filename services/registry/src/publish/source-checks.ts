import type { Logger } from '@agent-fleet/shared/logger';
import type { Refusal } from '../build/built-snapshot.ts';
import { type Fetched, type FetchLimits, fetchSource, type KnownFiles } from '../fetch/fetch-source.ts';
import type { Served } from '../serve/served.ts';
import { UpstreamError } from '../source/errors.ts';
import type { Source } from '../source/source.ts';
import { type Check, type Fault, filesOf, type SourceCheck } from '../store/snapshot.ts';

/** The result of one check of one source. */
export type Outcome = { source: Source; at: number } & ({ fetched: Fetched } | { error: UpstreamError });

export interface CheckOptions {
  limits: FetchLimits;
  /** Fires when the service stops. */
  signal: AbortSignal;
  logger: Logger;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Fetches a source if it has changed since `known`. */
export async function checkSource(
  source: Source,
  known: KnownFiles | undefined,
  { limits, signal, logger, now }: CheckOptions,
): Promise<Outcome> {
  try {
    const fetched = await fetchSource(source, known, limits, signal);
    return { source, fetched, at: now() };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    logger.warn({ err: error, source: source.label }, 'failed to fetch a registry source');
    return { source, error, at: now() };
  }
}

/** The served files of a source, with their latest validators. */
export function knownFiles(key: string, own: Served | undefined, check: Check | undefined): KnownFiles | undefined {
  const meta = own?.meta.sources.find((source) => source.key === key);
  if (!own || !meta) return undefined;
  const validated = check?.sources[key]?.validated;
  const validators = validated?.digest === meta.digest ? validated.validators : meta.validators;
  return { files: filesOf(meta, own.documents), validators };
}

const NEVER: SourceCheck = { at: 0, error: null, nextAt: 0, refused: null, validated: null };

/** Tolerated difference between the clocks of replicas. */
const MAX_AHEAD_MS = 60_000;

/** The check without entries from the future, which result from a wrong clock of some replica. */
export function withoutFuture(check: Check | undefined, now: number): Check | undefined {
  const latest = now + MAX_AHEAD_MS;
  if (check === undefined || check.at <= latest) return check;
  const past = Object.entries(check.sources).filter(([, { at }]) => at <= latest);
  if (past.length === 0) return undefined;
  return { at: Math.max(...past.map(([, { at }]) => at)), sources: Object.fromEntries(past) };
}

/** Determines when a source is due. */
export interface Known {
  check: Check | undefined;
  /** Digests of the served files, by source key. */
  served: ReadonlyMap<string, string>;
}

/** The sources that are due at `now`. */
export function dueSources(sources: readonly Source[], known: Known, now: number): Source[] {
  return sources.filter((source) => dueAt(source, known) <= now);
}

/** Time until all sources that become due within `patienceMs` are due. */
export function waitUntilDue(sources: readonly Source[], known: Known, now: number, patienceMs: number): number {
  const waits = sources.map((source) => dueAt(source, known) - now);
  return Math.max(0, ...waits.filter((wait) => wait <= patienceMs));
}

/**
 * Sources state when they may be checked again. A source whose latest files are not served, for example because they
 * were lost, is due at once; a source with refused files is due at every refresh (`noteOutcome`).
 */
function dueAt({ key }: Source, { check, served }: Known): number {
  const last = check?.sources[key];
  if (last === undefined) return 0;
  const isLost = !last.error && last.validated && last.validated.digest !== served.get(key);
  return isLost ? 0 : last.nextAt;
}

/** Adds the outcomes of this check to the last one. `refusals` are by source key. */
export function noteOutcomes(
  last: Check | undefined,
  outcomes: readonly Outcome[],
  refusals: ReadonlyMap<string, Refusal>,
  now: number,
): Check {
  const sources = { ...last?.sources };
  for (const outcome of outcomes) {
    const { key } = outcome.source;
    sources[key] = noteOutcome(sources[key] ?? NEVER, outcome, refusals.get(key));
  }
  return { at: now, sources };
}

function noteOutcome(last: SourceCheck, outcome: Outcome, refusal: Refusal | undefined): SourceCheck {
  const { at } = outcome;
  if ('error' in outcome) {
    const { code, message, retryAfterMs = 0 } = outcome.error;
    return { ...last, at, error: { code, message, at }, nextAt: at + retryAfterMs };
  }
  const { fetched } = outcome;
  const next = { at, nextAt: at + (fetched.freshForMs ?? 0), error: null, refused: null };
  if (refusal) {
    const fault: Fault = { code: refusal.code, message: refusal.message, at };
    // Ignores freshness: refused files may be corrected within a minute.
    return { ...last, ...next, nextAt: at, error: fault, refused: { ...fault, digest: refusal.digest } };
  }
  // This also clears an earlier refusal when the source has the served files again.
  return { ...last, ...next, validated: { digest: fetched.digest, validators: fetched.validators } };
}
