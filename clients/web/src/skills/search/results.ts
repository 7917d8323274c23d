import type { components, paths } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { fleet } from '../../api/fleet.ts';
import { type Query, useQuery } from '../../api/use-query.ts';
import { type FacetName, listQuery } from './list-query.ts';

type CatalogueQuery = NonNullable<paths['/api/catalogue']['get']['parameters']['query']>;

export type FacetValue = components['schemas']['FacetValue'];

/** A skill with the fields that a row shows. */
export type ListedSkill = Pick<
  components['schemas']['Skill'],
  | 'id'
  | 'name'
  | 'description'
  | 'kind'
  | 'category'
  | 'author'
  | 'source'
  | 'license'
  | 'stars'
  | 'downloads'
  | 'valid'
  | 'updated_at'
>;

export interface Results {
  /** The query that they answer. */
  key: string;
  skills: readonly ListedSkill[];
  /** Number of all matches. */
  total: number;
  facets: Partial<Record<FacetName, readonly FacetValue[]>>;
  /** Where the next page begins; null after the last. */
  cursor: string | null;
  loadedAt: number;
}

/** As many rows are kept in a page at most. */
export const MAX_ROWS = 500;
const NEXT_PAGE_SIZE = '50';
const KEPT = 30;
const MAX_AGE_MS = 5 * 60_000;

/** The last answers, so that going back shows at once what was there. */
const answers = new Map<string, Results>();

function knownResults(key: string): Results | undefined {
  const known = answers.get(key);
  if (known && performance.now() - known.loadedAt < MAX_AGE_MS) return known;
  answers.delete(key);
  return undefined;
}

/** What a list has said of a skill, for the time until its record is there. */
export function listedSkill(id: string): ListedSkill | undefined {
  for (const { skills } of answers.values()) {
    const found = skills.find((skill) => skill.id === id);
    if (found) return found;
  }
  return undefined;
}

/** @throws FleetError; the signal's reason */
async function loadResults(key: string, query: Record<string, string>, signal: AbortSignal): Promise<Results> {
  const { data } = await fleet.get('/api/catalogue', { params: { query: query as CatalogueQuery }, signal });
  const { skills, next_cursor: cursor, ...rest } = data;
  return keep({ ...rest, key, skills: skills as ListedSkill[], cursor, loadedAt: performance.now() });
}

/** Adds the next page to the known results. @throws FleetError */
async function loadMore(results: Results): Promise<void> {
  const next: Record<string, string> = Object.fromEntries(new URLSearchParams(results.key));
  next.cursor = results.cursor ?? '';
  next.limit = NEXT_PAGE_SIZE;
  delete next.facets;
  const { data } = await fleet.get('/api/catalogue', { params: { query: next as CatalogueQuery } });
  // A new snapshot may have moved a skill from one page to the next.
  const known = new Set(results.skills.map(({ id }) => id));
  const added = (data.skills as ListedSkill[]).filter(({ id }) => !known.has(id));
  const skills = [...results.skills, ...added].slice(0, MAX_ROWS);
  keep({ ...results, skills, cursor: skills.length < MAX_ROWS ? data.next_cursor : null });
}

function keep(results: Results): Results {
  answers.delete(results.key);
  answers.set(results.key, results);
  const [oldest] = answers.keys();
  if (answers.size > KEPT && oldest !== undefined) answers.delete(oldest);
  return results;
}

/** Answers the query of an address of the catalogue. */
export function useResults(address: URLSearchParams): Query<Results> {
  const query = listQuery(address);
  const key = new URLSearchParams(query).toString();
  return useQuery(key, (signal) => loadResults(key, query, signal), { known: knownResults(key) });
}

export interface NextPage {
  isLoading: boolean;
  error: unknown;
  /** Resolves with whether there are more rows now. */
  load: () => Promise<boolean>;
}

/** Adds the next page to the known results of the same query. */
export function useNextPage(results: Results | undefined): NextPage {
  const [state, setState] = useState<{ key: string; isLoading: boolean; error?: unknown }>();
  const key = results?.key ?? '';
  const isOwn = state?.key === key;

  async function load(): Promise<boolean> {
    if (!results || (isOwn && state.isLoading)) return false;
    setState({ key, isLoading: true });
    try {
      await loadMore(results);
      setState({ key, isLoading: false });
      return true;
    } catch (error) {
      setState({ key, isLoading: false, error });
      return false;
    }
  }

  return { isLoading: isOwn && state.isLoading, error: isOwn ? state.error : undefined, load };
}
