import { type EarlyResponses, requestKey } from './api/early-responses.ts';
import { firstRequests } from './first-requests.ts';

/** Inline in both shells: starts the first requests of the page while its modules are still on their way. */
const responses: EarlyResponses = new Map();
for (const path of firstRequests(location, localStorage)) {
  const response = fetch(path);
  // Its reader handles a failure.
  response.catch(() => undefined);
  responses.set(requestKey(new URL(path, location.origin)), response);
}
window.earlyResponses = responses;

if (location.pathname.startsWith('/skills/')) {
  const { classList, dataset } = document.documentElement;
  // The shell is that of the catalogue.
  classList.add('is-skill');
  const link = document.createElement('link');
  link.rel = 'modulepreload';
  link.href = `/assets/${dataset.parser}.js`;
  document.head.append(link);
}
