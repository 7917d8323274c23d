import { specifyEventFilters } from './event-filters.ts';
import { specifyTaskSearch } from './task-search.ts';
import { specifyUnionPages } from './union-pages.ts';

await specifyTaskSearch(1);
await specifyEventFilters(1);
specifyUnionPages(1);
