import { startRequests } from '../api/early-responses.ts';
import { PREFIX } from '../api/prefix.ts';
import { assetOf, INDEX, pathOf } from '../guide/guide-files.ts';
import { catalogueRequests, skillRequests } from '../skills/search/list-query.ts';

/** Inline in the shell of the catalogue: starts the first requests while its modules are still on their way. */
const [first, id = ''] = location.pathname.slice(PREFIX.length).split('/').slice(1);
if (first === 'skills' || first === 'guide') {
  startRequests(first === 'guide' ? [assetOf(pathOf(id) ?? INDEX)] : skillRequests(id));
  const { classList, dataset } = document.documentElement;
  // The shell is that of the catalogue.
  classList.add('is-other');
  const link = document.createElement('link');
  link.rel = 'modulepreload';
  link.href = `${PREFIX}/assets/${dataset.parser}`;
  document.head.append(link);
} else {
  startRequests(catalogueRequests(new URLSearchParams(location.search)));
}
