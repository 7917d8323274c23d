import { keyOf } from '../index/words/fold.ts';
import { CATEGORIES, type Categories } from '../skills/category.ts';
import { defineCacheable } from './http/contract.ts';

export const listCategories = defineCacheable({
  id: 'listCategories',
  path: '/api/categories',
  summary: 'List the categories and tags of the skills',
  description: 'Each has its number of skills.',
  response: {
    description: 'The categories and tags.',
    schema: CATEGORIES,
    example: {
      categories: [
        { id: 'code-quality', name: 'Code quality', description: 'Reviews, refactoring and style.', count: 7 },
      ],
      tags: [{ name: 'review', count: 3 }],
    },
  },
});

const idsByBody = new WeakMap<Buffer, ReadonlyMap<string, string>>();

/** The id of a category given by id or name, or else `given`. `categories` is the JSON of `/api/categories`. */
export function categoryIdOf(categories: Buffer, given: string): string {
  let ids = idsByBody.get(categories);
  if (ids === undefined) {
    ids = readIds(categories);
    idsByBody.set(categories, ids);
  }
  return ids.get(keyOf(given)) ?? given;
}

/** Ids precede names; of several categories with the same name the first one counts. */
function readIds(body: Buffer): ReadonlyMap<string, string> {
  const { categories }: Categories = JSON.parse(body.toString());
  const ids = new Map<string, string>();
  for (const { id } of categories) setOnce(ids, id, id);
  for (const { id, name } of categories) setOnce(ids, name, id);
  return ids;
}

function setOnce(ids: Map<string, string>, given: string, id: string): void {
  const key = keyOf(given);
  if (!ids.has(key)) ids.set(key, id);
}
