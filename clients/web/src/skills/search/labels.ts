import type { components } from '@agent-fleet/sdk';
import { signal } from '@preact/signals';
import { fleet } from '../../api/fleet.ts';
import { short } from '../../text/pieces.ts';
import type { FacetName, Sort } from './list-query.ts';

type Kind = components['schemas']['Skill']['kind'];

export const FACET_TITLES: Record<FacetName, string> = {
  category: 'Category',
  kind: 'Kind',
  tag: 'Tag',
  author: 'Author',
  license: 'Licence',
  valid: 'Specification',
};

export const SORT_TITLES: Record<Sort, string> = {
  relevance: 'Relevance',
  trending: 'Trending',
  stars: 'Stars',
  downloads: 'Downloads',
  updated: 'Updated',
  name: 'Name',
};

/** One and many. */
export const KINDS: Record<Kind, [string, string]> = {
  skill: ['skill', 'Skills'],
  plugin: ['plugin', 'Plugins'],
  mcp_server: ['MCP server', 'MCP servers'],
  agent: ['agent', 'Agents'],
  hook: ['hook', 'Hooks'],
  setting: ['setting', 'Settings'],
  command: ['command', 'Commands'],
};

const VALID: Record<string, string> = { true: 'Followed', false: 'Not followed' };

const MAX_LABEL = 80;

/** The names that sources declare for their categories; until they are there, the ids serve. */
const categoryNames = signal<ReadonlyMap<string, string>>(new Map());
let isRequested = false;

/** Loads the names once. A failure does no harm. */
export async function loadCategoryNames(): Promise<void> {
  if (isRequested) return;
  isRequested = true;
  try {
    const { data } = await fleet.get('/api/categories');
    categoryNames.value = new Map(data.categories.map(({ id, name }) => [id, name]));
  } catch {
    isRequested = false;
  }
}

export function categoryLabel(id: string): string {
  const name = categoryNames.value.get(id) ?? id;
  return short(toTitle(name === id ? id.replace(/[-_]+/g, ' ') : name), MAX_LABEL);
}

/** What people read for a value of a facet. */
export function facetLabel(name: FacetName, value: string): string {
  if (name === 'category') return categoryLabel(value);
  if (name === 'kind') return KINDS[value as Kind]?.[1] ?? short(value, MAX_LABEL);
  if (name === 'valid') return VALID[value] ?? short(value, MAX_LABEL);
  return short(value, MAX_LABEL);
}

function toTitle(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
