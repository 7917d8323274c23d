import { z } from 'zod';

const CATEGORY = z
  .object({
    id: z.string().meta({ description: 'The value of `category` in a skill.' }),
    name: z.string().meta({ description: 'Name from the source, or the id if the source declares none.' }),
    description: z.string().nullable(),
    count: z.int().min(0).meta({ description: 'Number of skills in the category, counted by the registry.' }),
  })
  .meta({ id: 'Category' });

const TAG = z.object({ name: z.string(), count: z.int().min(1) }).meta({ id: 'Tag' });

export const CATEGORIES = z.object({ categories: z.array(CATEGORY), tags: z.array(TAG) }).meta({
  id: 'Categories',
  description: 'Both lists are in descending order of use. At most 10,000 tags.',
});

export type Category = z.output<typeof CATEGORY>;
export type Categories = z.output<typeof CATEGORIES>;
