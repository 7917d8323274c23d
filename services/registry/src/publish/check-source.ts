import type { Logger } from '@agent-fleet/shared/logger';
import { type FetchLimits, fetchSource, type KnownFiles } from '../fetch/fetch-source.ts';
import type { Served } from '../serve/served.ts';
import { UpstreamError } from '../source/errors.ts';
import type { Source } from '../source/source.ts';
import { type Check, filesOf } from '../store/snapshot.ts';
import type { Outcome } from './source-checks.ts';

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
