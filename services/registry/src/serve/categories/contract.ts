import { z } from 'zod';
import { defineCacheable } from '../http/contract.ts';

const CATEGORY = z
  .object({
    id: z.string().meta({ description: 'The value of `category` in a skill.' }),
    name: z.string().meta({ description: 'Name from the source, or the id if the source declares none.' }),
    description: z.string().nullable(),
    count: z.int().min(0).meta({ description: 'Number of skills in the category, counted by the registry.' }),
  })
  .meta({ id: 'Category' });

const TAG = z.object({ name: z.string(), count: z.int().min(1) }).meta({ id: 'Tag' });

const CATEGORIES = z.object({ categories: z.array(CATEGORY), tags: z.array(TAG) }).meta({
  id: 'Categories',
  description: 'Both lists are in descending order of use. At most 10,000 tags.',
});

export type Category = z.output<typeof CATEGORY>;
export type Categories = z.output<typeof CATEGORIES>;

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
