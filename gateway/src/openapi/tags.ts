import { type JsonObject, ownValue } from '@agent-fleet/shared/contract/json-object';
import { z } from 'zod';
import type { Part } from './part.ts';
import { METHODS } from './path-items.ts';
import { MergeError } from './references.ts';

const TAGS = z.array(z.object({ name: z.string(), description: z.string().default('') }));
/** A tag as an OpenAPI document declares it. */
export type TagObject = z.output<typeof TAGS>[number];

/**
 * Adds the tags that a part declares and its path items use, in the order of the document. A name that another part
 * has declared before stays as it is.
 * @throws MergeError for tags that are malformed
 */
export function addTags(merged: Map<string, TagObject>, { name: part, document }: Part, items: JsonObject[]): void {
  const used = new Set(items.flatMap((item) => METHODS.flatMap((method) => ownValue(ownValue(item, method), 'tags'))));
  const declared = TAGS.safeParse(ownValue(document, 'tags') ?? []);
  if (!declared.success) throw new MergeError(`${part}: tags: is malformed`);
  for (const tag of declared.data) if (used.has(tag.name) && !merged.has(tag.name)) merged.set(tag.name, tag);
}
