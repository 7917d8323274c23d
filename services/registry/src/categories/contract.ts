import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { CONDITIONAL_HEADERS, NOT_MODIFIED, REPRESENTATION_HEADERS } from '../http/contract.ts';

const CATEGORY = z
  .object({
    id: z.string().meta({ description: 'What `category` of a skill holds.' }),
    name: z.string().meta({ description: 'As upstream declares it, else the id.' }),
    description: z.string().nullable(),
    count: z.int().min(0).meta({ description: 'How many skills are in it, counted here.' }),
  })
  .meta({ id: 'Category' });

const TAG = z.object({ name: z.string(), count: z.int().min(1) }).meta({ id: 'Tag' });

const CATEGORIES = z.object({ categories: z.array(CATEGORY), tags: z.array(TAG) }).meta({
  id: 'Categories',
  description: 'Both lists have the most used first; of the tags there are 10,000 at most.',
});

export type Category = z.output<typeof CATEGORY>;
export type Tag = z.output<typeof TAG>;
export type Categories = z.output<typeof CATEGORIES>;

export const listCategories = defineOperation({
  id: 'listCategories',
  method: 'get',
  path: '/api/categories',
  tag: 'Registry',
  summary: 'List the categories and tags of the skills',
  description: 'With how many skills each has. Needs no credentials.',
  security: 'public',
  requestHeaders: CONDITIONAL_HEADERS,
  responses: {
    200: {
      description: 'The categories and tags.',
      schema: CATEGORIES,
      headers: REPRESENTATION_HEADERS,
      example: {
        categories: [
          { id: 'code-quality', name: 'Code quality', description: 'Reviews, refactoring and style.', count: 7 },
        ],
        tags: [{ name: 'review', count: 3 }],
      },
    },
    304: NOT_MODIFIED,
  },
});
