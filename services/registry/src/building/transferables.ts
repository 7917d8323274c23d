import { transferablesOf } from '../search/index-data.ts';
import type { BuiltSnapshot, EncodedBody } from './built-snapshot.ts';

/** The buffers of a snapshot, each once: they move to another thread without being copied. */
export function buffersOf({
  skills,
  search,
  identities,
  difference,
  bodies,
  registryBr,
}: BuiltSnapshot): ArrayBuffer[] {
  const arrays = [
    skills.list,
    skills.offsets,
    skills.slots,
    identities.ids,
    identities.fingerprints,
    ...(difference ? [difference.added, difference.changed, difference.removed] : []),
    ...Object.values(bodies).flatMap(({ identity, gzip, br }: EncodedBody) => [identity, gzip, br]),
    ...registryBr.filter((bytes) => bytes !== undefined),
  ];
  return [...new Set([...arrays.map(({ buffer }) => buffer as ArrayBuffer), ...transferablesOf(search)])];
}
