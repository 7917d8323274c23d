import type { components } from '@agent-fleet/sdk';
import { fleet } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';
import { compact, count, plural } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { FACET_TITLES, facetLabel } from './labels.ts';
import { hrefWith, wordsOf } from './list-query.ts';
import type { FacetValue, Results } from './results.ts';

interface Summary {
  skills: number;
  registries: number;
  checkedAt: string | null;
}

let known: Summary | undefined;

/** How many skills there are, and from where. It waits for the list, which is more urgent. */
export function RegistryLine({ isListLoaded }: { isListLoaded: boolean }) {
  const { data: summary } = useQuery(isListLoaded ? 'status' : null, readSummary, { known });
  if (!summary) return <p class="hero-line">&nbsp;</p>;
  const { skills, registries, checkedAt } = summary;
  return (
    <p class="hero-line">
      <strong class="number" title={count(skills)}>
        {compact(skills)}
      </strong>{' '}
      skills from {plural(registries, 'registry', 'registries')}
      {checkedAt && (
        <span class="wide-only">
          , checked <RelativeTime at={checkedAt} />
        </span>
      )}
    </p>
  );
}

async function readSummary(signal: AbortSignal): Promise<Summary> {
  const { data } = await fleet.get('/api/registry/status', { signal, retries: 0 });
  const { counts, sources, checked_at: checkedAt } = data;
  known = { skills: counts.skills, registries: sources.length, checkedAt };
  return known;
}

type Suggestion = components['schemas']['Suggestion'];
type Filter = Suggestion & { kind: 'tag' | 'author' | 'category' };

const MAX_SUGGESTIONS = 6;
const REQUESTED = 20;

interface SuggestionLineProps {
  address: URLSearchParams;
  facets: Results['facets'] | undefined;
}

/** One line below the search: filters that begin with what is typed; without words, the most frequent tags. */
export function SuggestionLine({ address, facets }: SuggestionLineProps) {
  const words = wordsOf(address);
  const suggested = useSuggestions(words);
  const tags = (facets?.tag ?? []).map(({ value, count }): Filter => ({ text: value, kind: 'tag', count }));
  const filters = words ? suggested : address.get('tag') ? [] : tags;
  return (
    <ul class="row suggestions" aria-label={words ? 'Filters that begin so' : 'Frequent tags'}>
      {filters.slice(0, MAX_SUGGESTIONS).map(({ kind, text, count }) => (
        <li key={`${kind} ${text}`}>
          <a class="suggestion" href={hrefWith(address, { [kind]: text, ...(words && { q: undefined }) })}>
            {kind !== 'tag' && <span class="muted">{FACET_TITLES[kind]} </span>}
            {facetLabel(kind, text)}
            {count !== undefined && <span class="muted number"> {compact(count)}</span>}
          </a>
        </li>
      ))}
    </ul>
  );
}

function useSuggestions(words: string): readonly Filter[] {
  const { data = [] } = useQuery(words || null, async (signal) => {
    const params = { query: { q: words, limit: REQUESTED } };
    const { data } = await fleet.get('/api/suggestions', { params, signal, retries: 0 });
    return data.suggestions.filter(isFilter);
  });
  return data;
}

function isFilter(suggestion: Suggestion): suggestion is Filter {
  return suggestion.kind !== 'skill';
}

const MAX_CATEGORIES = 12;

/** The largest categories, as a way into the catalogue. */
export function CategoryGrid({ categories }: { categories: readonly FacetValue[] }) {
  if (categories.length < 2) return null;
  return (
    <section class="stack-tight" aria-labelledby="categories">
      <h2 id="categories">Categories</h2>
      <ul class="categories">
        {categories.slice(0, MAX_CATEGORIES).map(({ value, count: skills }) => (
          <li key={value}>
            <a class="category" href={hrefWith(new URLSearchParams(), { category: value })}>
              <span class="cut category-name">{facetLabel('category', value)}</span>
              <span class="muted number">{compact(skills)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
