import { isObject, type JsonObject, ownValue } from './json-object.ts';
import type { Part } from './part.ts';
import { METHODS } from './path-items.ts';
import { MergeError } from './references.ts';

/** A tag as an OpenAPI document declares it. */
export interface TagObject {
  name: string;
  description: string;
}

/**
 * Adds the tags that a part declares and its path items use, in the order of the document. A name that another part
 * has declared before stays as it is.
 * @throws MergeError for tags that are malformed
 */
export function addTags(merged: Map<string, TagObject>, { name: part, document }: Part, items: JsonObject[]): void {
  const used = new Set(items.flatMap((item) => METHODS.flatMap((method) => ownValue(ownValue(item, method), 'tags'))));
  const declared = ownValue(document, 'tags') ?? [];
  if (!Array.isArray(declared)) throw new MergeError(`${part}: tags: is malformed`);
  for (const tag of declared) {
    const { name, description = '' } = isObject(tag) ? tag : {};
    if (typeof name !== 'string' || typeof description !== 'string') {
      throw new MergeError(`${part}: tags: is malformed`);
    }
    if (used.has(name) && !merged.has(name)) merged.set(name, { name, description });
  }
}
