import { specifyEventFilters } from './event-filters.ts';
import { specifyTaskSearch } from './task-search.ts';
import { specifyUnionPages } from './union-pages.ts';

/** `properties.long.test.ts` has all runs. */
const SHARE = 0.2;

await specifyTaskSearch(SHARE);
await specifyEventFilters(SHARE);
specifyUnionPages(SHARE);
