import { CATEGORIES } from '../../skills/category.ts';
import { defineCacheable } from '../http/contract.ts';

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
