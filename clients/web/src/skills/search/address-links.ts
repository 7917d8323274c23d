import { FACETS } from './list-query.ts';

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
