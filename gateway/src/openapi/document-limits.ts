import { MergeError } from './references.ts';

/** Documents are processed recursively, also by browsers; the agents service's is 18 levels deep. */
const MAX_DEPTH = 64;
/** Values of all kinds: four times those of the agents service. Merging takes 2 to 5 µs per value (measured). */
const MAX_VALUES = 20_000;

/** @throws MergeError for a document that is too deep or too large to be merged between requests */
export function requireBounded(name: string, document: unknown): void {
  let values = 0;
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new MergeError(`${name}: nested deeper than ${MAX_DEPTH} levels`);
    const next: unknown[] = [];
    for (const node of level) {
      if (typeof node !== 'object' || node === null) continue;
      for (const value of Object.values(node)) next.push(value);
    }
    values += next.length;
    if (values > MAX_VALUES) throw new MergeError(`${name}: has more than ${MAX_VALUES} values`);
    level = next;
  }
}
