import { specifyEventFilters } from './event-filters.ts';
import { specifyIndexPages } from './index-pages.ts';
import { specifyTaskSearch } from './task-search.ts';

await specifyTaskSearch(1);
await specifyEventFilters(1);
specifyIndexPages(1);
