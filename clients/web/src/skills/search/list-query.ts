/** What a list can be narrowed down by, in the order in which it is offered; also the names of the API. */
export const FACETS = ['category', 'kind', 'tag', 'author', 'license', 'valid'] as const;

export type FacetName = (typeof FACETS)[number];

export const SORTS = ['relevance', 'trending', 'stars', 'downloads', 'updated', 'name'] as const;

export type Sort = (typeof SORTS)[number];

const FIELDS = 'name,description,kind,category,author,source,license,stars,downloads,valid,updated_at';
const PAGE_SIZE = '25';
/** Of the API. */
const MAX_QUERY_LENGTH = 256;

/** The words of an address, as far as the API takes them. */
export function wordsOf(address: URLSearchParams): string {
  return (address.get('q') ?? '').trim().slice(0, MAX_QUERY_LENGTH).trim();
}

/** The best matches first; without words, what is trending. */
export function sortOf(address: URLSearchParams): Sort {
  const given = address.get('sort');
  const found = SORTS.find((sort) => sort === given);
  if (wordsOf(address)) return found ?? 'relevance';
  return found && found !== 'relevance' ? found : 'trending';
}

/** The query of the first page of `/api/catalogue` for the query of an address of the catalogue. */
export function listQuery(address: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = {
    cursor: '',
    limit: PAGE_SIZE,
    fields: FIELDS,
    facets: FACETS.join(),
    sort: sortOf(address),
  };
  const q = wordsOf(address);
  if (q) query.q = q;
  for (const name of FACETS) {
    const value = address.get(name);
    if (value) query[name] = value;
  }
  return query;
}

/** The address of the catalogue with some parameters set, or removed by undefined. */
export function hrefWith(address: URLSearchParams, changes: Record<string, string | undefined>): string {
  const next = new URLSearchParams(address);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const text = next.toString();
  return text ? `/?${text}` : '/';
}

/** Changes that remove all filters; the words stay. */
export const NO_FILTERS: Record<string, undefined> = Object.fromEntries(FACETS.map((name) => [name, undefined]));

/** What the catalogue requests at first, exactly as its own code does, so that the shell can start it. */
export function catalogueRequests(query: URLSearchParams): string[] {
  return [`/api/catalogue?${new URLSearchParams(listQuery(query))}`];
}

/** What the page of a skill requests at first. `id` is a segment of the address, so it is encoded. */
export function skillRequests(id: string): string[] {
  return id ? [`/api/skills/${id}`, `/api/skills/${id}/skill.md`] : [];
}
