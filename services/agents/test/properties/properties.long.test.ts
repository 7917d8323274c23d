import { specifyIndexPages } from './index-pages.ts';
import { specifyTaskSearch } from './task-search.ts';

await specifyTaskSearch(1);
await specifyIndexPages(1);
