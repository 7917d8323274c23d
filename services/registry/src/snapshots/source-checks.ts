import type { Refusal } from '../building/built-snapshot.ts';
import type { UpstreamError } from '../upstream/errors.ts';
import type { Fetched } from '../upstream/fetch-source.ts';
import type { Source } from '../upstream/source.ts';
import type { Check, Fault, SourceCheck } from './snapshot.ts';

/** What one source answered to one check. */
export type Outcome = { source: Source; at: number } & ({ fetched: Fetched } | { error: UpstreamError });

const NEVER: SourceCheck = { at: 0, error: null, nextAt: 0, refused: null, validated: null };

/** Clocks of replicas may differ by as much. */
const MAX_AHEAD_MS = 60_000;

/** The check without what lies in the future: the clock of a replica was wrong, or this one's is set right by now. */
export function withoutFuture(check: Check | undefined, now: number): Check | undefined {
  const latest = now + MAX_AHEAD_MS;
  if (check === undefined || check.at <= latest) return check;
  const past = Object.entries(check.sources).filter(([, { at }]) => at <= latest);
  if (past.length === 0) return undefined;
  return { at: Math.max(...past.map(([, { at }]) => at)), sources: Object.fromEntries(past) };
}

/** What it depends on when a source is to be asked again. */
export interface Known {
  check: Check | undefined;
  /** Digests of the files that are served, by the key of their source. */
  served: ReadonlyMap<string, string>;
}

/** Those that may be asked at `now`. */
export function dueSources(sources: readonly Source[], known: Known, now: number): Source[] {
  return sources.filter((source) => dueAt(source, known) <= now);
}

/** How long to wait, `patienceMs` at most, until every source may be asked that may be by then. */
export function waitUntilDue(sources: readonly Source[], known: Known, now: number, patienceMs: number): number {
  const waits = sources.map((source) => dueAt(source, known) - now);
  return Math.max(0, ...waits.filter((wait) => wait <= patienceMs));
}

/**
 * Sources say themselves when they want to be asked again. At once is asked one of which what it sent last is not served, as where it has been
 * lost; what was refused is due at every refresh (`noteOutcome`).
 */
function dueAt({ key }: Source, { check, served }: Known): number {
  const last = check?.sources[key];
  if (last === undefined) return 0;
  const isLost = !last.error && last.validated && last.validated.digest !== served.get(key);
  return isLost ? 0 : last.nextAt;
}

/** The last check with what came of this one. `refusals` are by the key of their source. */
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
    // However long what is refused is fresh, it may be mended in a minute.
    return { ...last, ...next, nextAt: at, error: fault, refused: { ...fault, digest: refusal.digest } };
  }
  // Also what was refused may be offered again by a source that says nothing has changed against what is served.
  return { ...last, ...next, validated: { digest: fetched.digest, validators: fetched.validators } };
}

/** The last fault that still stands, of the first source that has one. */
export function lastFault(sources: readonly Source[], check: Check | undefined): Fault | null {
  for (const { key } of sources) {
    const error = check?.sources[key]?.error;
    if (error) return error;
  }
  return null;
}
