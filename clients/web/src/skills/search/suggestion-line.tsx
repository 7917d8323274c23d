import type { components } from '@agent-fleet/sdk';
import { fleet } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';
import { compact } from '../../text/numbers.ts';
import { hrefWith } from './address-links.ts';
import { FACET_TITLES, facetLabel } from './labels.ts';
import { wordsOf } from './list-query.ts';
import type { Results } from './results.ts';

type Suggestion = components['schemas']['Suggestion'];
type Filter = Suggestion & { kind: 'tag' | 'author' | 'category' };

const MAX_SHOWN = 6;
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
    <ul class="suggestions" aria-label={words ? 'Filters that begin so' : 'Frequent tags'}>
      {filters.slice(0, MAX_SHOWN).map(({ kind, text, count }) => (
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
