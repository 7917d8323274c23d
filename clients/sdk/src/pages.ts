import type { DataOf, PathsWith } from './requests.ts';

type ArrayOf<Path extends PathsWith<'get'>> = Extract<DataOf<Path, 'get'>, readonly unknown[]>;

/** The paths whose response is an array, or may be one. */
export type ListPath = {
  [Path in PathsWith<'get'>]: [ArrayOf<Path>] extends [never] ? never : Path;
}[PathsWith<'get'>];

export type ItemOf<Path extends ListPath> = ArrayOf<Path>[number];

/** The query of the next page, from a `Link` header (RFC 8288); undefined after the last. */
export function nextQuery({ headers }: Response): Record<string, string | string[]> | undefined {
  const target = /<([^>]*)>\s*;[^,<]*\brel="?next"?/.exec(headers.get('link') ?? '')?.[1];
  if (target === undefined) return undefined;
  // Only the query: behind a reverse proxy the path may be another.
  const { searchParams } = new URL(target, 'http://fleet');
  const names = new Set(searchParams.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? '')];
    }),
  );
}
