import { stat } from 'node:fs/promises';
import type { Builder } from '../build/builder.ts';
import type { BuildInput, PreviousBuild } from '../build/built-snapshot.ts';
import { fetchSource } from '../fetch/fetch-source.ts';
import { type Served, toServed } from '../serve/served.ts';
import { UpstreamError } from '../source/errors.ts';
import { SHIPPED_SOURCE } from '../source/source.ts';
import { filesOf, type StoredSnapshot } from '../store/snapshot.ts';
import { buildNext, createRefusals } from './next-snapshot.ts';
import type { CheckOptions } from './source-checks.ts';

/**
 * Builds a stored snapshot, on the one before if that is given. Its files were accepted before they were stored.
 * @throws Error when it is unreadable
 */
export async function buildStored(
  stored: StoredSnapshot,
  builder: Builder,
  signal: AbortSignal,
  previous?: PreviousBuild,
): Promise<Served> {
  const sources = stored.meta.sources.map((source) => {
    return { label: source.label, files: filesOf(source, stored.documents), isAccepted: true };
  });
  const input: BuildInput = { sources, previous };
  const built = await builder.build(input, signal);
  const refused = built.report.sources.find((source) => source.refused)?.refused;
  if (refused) throw new UpstreamError(refused.code, refused.message);
  // The build has moved them to shared memory, so that the next build needs no copy.
  const documents = new Map(
    sources.flatMap(({ files }) => files.documents.map(({ digest, packed }) => [digest, packed])),
  );
  return toServed({ ...stored, documents }, built);
}

interface ShippedOptions extends Omit<CheckOptions, 'now'> {
  builder: Builder;
}

/** Builds the shipped file, served while there is no other snapshot. Undefined when it is unusable. */
export async function buildShipped({ builder, limits, signal, logger }: ShippedOptions): Promise<Served | undefined> {
  const source = SHIPPED_SOURCE;
  try {
    const fetched = await fetchSource(source, undefined, limits, signal);
    const { mtimeMs } = await stat(source.location.file);
    const outcomes = [{ source, fetched, at: Math.floor(mtimeMs) }];
    const nothing = { accepted: new Set<string>(), own: undefined, refused: createRefusals() };
    const next = await buildNext({ sources: [source], outcomes, builder, signal, ...nothing });
    if (next.served) return next.served;
    logger.error({ outcomes: next.outcomes, refusals: next.newRefusals }, 'failed to load the shipped registry file');
  } catch (error) {
    if (signal.aborted) throw error;
    logger.error({ err: error }, 'failed to load the shipped registry file');
  }
  return undefined;
}
