import { stat } from 'node:fs/promises';
import type { Builder } from '../build/builder.ts';
import { fetchSource } from '../fetch/fetch-source.ts';
import { type Served, toServed } from '../serve/served.ts';
import { SHIPPED_SOURCE } from '../source/source.ts';
import type { CheckOptions } from './check-source.ts';
import { createRefusals, SnapshotCandidate } from './snapshot-candidate.ts';

interface ShippedOptions extends Omit<CheckOptions, 'now'> {
  builder: Builder;
}

/** Builds the shipped file, served while there is no other snapshot. Undefined when it is unusable. */
export async function buildShipped(options: ShippedOptions): Promise<Served | undefined> {
  try {
    return await build(options);
  } catch (error) {
    if (options.signal.aborted) throw error;
    options.logger.error({ err: error }, 'failed to load the shipped registry file');
    return undefined;
  }
}

async function build({ builder, limits, signal }: ShippedOptions): Promise<Served | undefined> {
  const fetched = await fetchSource(SHIPPED_SOURCE, undefined, limits, signal);
  if (fetched.status !== 'fetched' || !('file' in SHIPPED_SOURCE.location)) return undefined;
  const { mtimeMs } = await stat(SHIPPED_SOURCE.location.file);
  const outcomes = [{ source: SHIPPED_SOURCE, fetched, at: Math.floor(mtimeMs) }];
  const sources = [SHIPPED_SOURCE];
  const nothing = { accepted: new Set<string>(), own: undefined, refused: createRefusals() };
  const candidate = new SnapshotCandidate({ sources, outcomes, ...nothing });
  const built = await builder.build(candidate.input, signal);
  const stored = await candidate.complete(built);
  return stored && toServed(stored, built);
}
