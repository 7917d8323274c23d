import type { DataOf, Init, PathsWith } from '@agent-fleet/sdk';
import { fleet } from './fleet.ts';
import { type Query, type QueryOptions, useQuery } from './use-query.ts';

type ParamsOf<Path extends PathsWith<'get'>> = NonNullable<NonNullable<Init<Path, 'get'>[0]>['params']>;

/** The same call without the types of its operation: a hook has those. */
export const getAny = fleet.get as unknown as (
  path: string,
  init: object,
) => Promise<{ data: unknown; response: Response }>;

/** Loads what a GET operation answers; without parameters nothing. */
export function useGet<Path extends PathsWith<'get'>>(
  path: Path,
  params: ParamsOf<Path> | null,
  options?: QueryOptions<DataOf<Path, 'get'>>,
): Query<DataOf<Path, 'get'>> {
  return useQuery(
    params && `${path} ${JSON.stringify(params)}`,
    async (signal) => (await getAny(path, { params, signal })).data as DataOf<Path, 'get'>,
    options,
  );
}
