import type { BuildInput } from '../building/build-input.ts';
import type { Builder } from '../building/builder.ts';
import { UpstreamError } from '../upstream/errors.ts';
import { type Served, toServed } from './served.ts';
import { filesOf, type StoredSnapshot } from './snapshot.ts';

/** Builds a stored snapshot, which was judged before it was stored. @throws Error when it cannot be read */
export async function buildStored(stored: StoredSnapshot, builder: Builder, signal: AbortSignal): Promise<Served> {
  const sources = stored.meta.sources.map((source) => {
    return { label: source.label, files: filesOf(source, stored.documents), isAccepted: true };
  });
  const input: BuildInput = { sources };
  const built = await builder.build(input, signal);
  const refused = built.report.sources.find((source) => source.refused)?.refused;
  if (refused) throw new UpstreamError(refused.code, refused.message);
  // As the build has left them: in shared memory, so that the next one needs no copy.
  const documents = new Map(
    sources.flatMap(({ files }) => files.documents.map(({ digest, packed }) => [digest, packed])),
  );
  return toServed({ ...stored, documents }, built);
}
