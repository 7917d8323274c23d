import type { BuildInput, PreviousBuild } from '../build/build-input.ts';
import type { Builder } from '../build/builder.ts';
import { type Served, toServed } from '../serve/served.ts';
import { UpstreamError } from '../source/errors.ts';
import { filesOf, type StoredSnapshot } from '../store/snapshot.ts';

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
