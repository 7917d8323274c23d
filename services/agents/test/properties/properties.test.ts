import { specifyIndexPages } from './index-pages.ts';
import { specifyTaskSearch } from './task-search.ts';

/** `properties.long.test.ts` has all runs. */
const SHARE = 0.2;

await specifyTaskSearch(SHARE);
await specifyIndexPages(SHARE);
