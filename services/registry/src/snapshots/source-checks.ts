import type { Refusal } from '../building/built-snapshot.ts';
import type { UpstreamError } from '../upstream/errors.ts';
import type { Fetched } from '../upstream/fetch-source.ts';
import type { Source } from '../upstream/source.ts';
import type { Check, Fault, SourceCheck } from './snapshot.ts';

/** What one source answered to one check. */
export type Outcome = { source: Source; at: number } & ({ fetched: Fetched } | { error: UpstreamError });

const NEVER: SourceCheck = { at: 0, error: null, nextAt: 0, refused: null, validated: null };

/**
 * Those that may be asked at `now`: sources say themselves when they want to be asked again. One whose refused files an operator accepts by now is
 * asked at once.
 */
export function dueSources(
  sources: readonly Source[],
  check: Check | undefined,
  accepted: ReadonlySet<string>,
  now: number,
): Source[] {
  return sources.filter(({ key }) => {
    const last = check?.sources[key];
    return last === undefined || last.nextAt <= now || accepted.has(last.refused?.digest ?? '');
  });
}

/** How long to wait, `patienceMs` at most, until every source may be asked that may be by then. */
export function waitUntilDue(
  sources: readonly Source[],
  check: Check | undefined,
  now: number,
  patienceMs: number,
): number {
  const waits = sources.map(({ key }) => (check?.sources[key]?.nextAt ?? 0) - now);
  return Math.max(0, ...waits.filter((wait) => wait <= patienceMs));
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
  if (fetched.status === 'unchanged') return { ...last, ...next, validated: keepDigest(last, fetched) };
  return { ...last, ...next, validated: { digest: fetched.files.digest, validators: fetched.validators } };
}

function keepDigest({ validated }: SourceCheck, { validators }: Fetched): SourceCheck['validated'] {
  return validated && { ...validated, validators };
}

/** The last fault that still stands, of the first source that has one. */
export function lastFault(sources: readonly Source[], check: Check | undefined): Fault | null {
  for (const { key } of sources) {
    const error = check?.sources[key]?.error;
    if (error) return error;
  }
  return null;
}
