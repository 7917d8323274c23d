import { useEffect } from 'preact/hooks';
import { Button, LinkButton } from '../components/button.tsx';
import { ErrorNotice } from '../components/notice.tsx';
import { type Address, useAddress } from '../frame/address.ts';
import { useTitle } from '../frame/page.tsx';
import { useReturnToPlace } from '../frame/places.ts';
import { plural } from '../text/numbers.ts';
import { short } from '../text/pieces.ts';
import { FacetPanel, FilterChips, SortTabs } from './search/facets.tsx';
import { CategoryGrid, RegistryLine, SuggestionLine } from './search/hero.tsx';
import { loadCategoryNames } from './search/labels.ts';
import { FACETS, wordsOf } from './search/list-query.ts';
import { NoResults, ResultList, ResultSkeleton } from './search/result-list.tsx';
import { type NextPage, type Results, useNextPage, useResults } from './search/results.ts';
import { SearchField } from './search/search-field.tsx';
import './catalogue.css';

const TITLE = 'Find skills for your agents';
const EXPECTED_ROWS = 10;

/** The catalogue: what is searched for, and the filters, are in the address. */
export function CataloguePage() {
  const address = useAddress();
  const { data: results, isStale, error, reload } = useResults(address.query);
  const next = useNextPage(results);
  const words = wordsOf(address.query);
  useTitle(words ? `${short(words, 80)} · Skills` : TITLE);
  const isLoaded = results !== undefined;
  useReturnToPlace(isLoaded);
  useEffect(() => {
    if (isLoaded) void loadCategoryNames();
  }, [isLoaded]);

  return (
    <main id="main" class="page catalogue" tabIndex={-1} data-ready={isLoaded || error !== undefined || undefined}>
      <div class="hero">
        <h1>{TITLE}</h1>
        <RegistryLine isListLoaded={isLoaded} />
        <SearchField value={words} onSearch={(q) => address.set({ q: q || undefined }, true)} />
        <SuggestionLine address={address.query} facets={results?.facets} />
      </div>
      {error !== undefined && (
        <ErrorNotice
          title="The skills could not be loaded"
          error={error}
          actions={
            <>
              <Button onClick={reload}>Try again</Button>
              <LinkButton href="/">Show all skills</LinkButton>
            </>
          }
        />
      )}
      {results && <Found address={address} results={results} isStale={isStale} next={next} />}
      {!results && error === undefined && <ResultSkeleton rows={EXPECTED_ROWS} />}
    </main>
  );
}

interface FoundProps {
  address: Address;
  results: Results;
  isStale: boolean;
  next: NextPage;
}

/** All skills as a ranking below the categories; or those that were searched for, beside the filters. */
function Found({ address, results, isStale, next }: FoundProps) {
  const { total, facets } = results;
  const answered = new URLSearchParams(results.key);
  const isNarrowed = answered.has('q') || FACETS.some((name) => answered.has(name));
  const list = (
    <section key="list" class="stack-tight" aria-labelledby="count">
      <div class="list-bar">
        <h2 id="count" class="number" aria-live="polite">
          {plural(total, 'skill')}
        </h2>
        <SortTabs address={address.query} />
      </div>
      {isNarrowed && <FilterChips address={address} />}
      <div class={isStale ? 'is-stale' : undefined}>
        {total > 0 ? (
          <ResultList results={results} next={next} isRanked={!isNarrowed} />
        ) : (
          <NoResults address={answered} />
        )}
      </div>
    </section>
  );
  if (isNarrowed) {
    return (
      <div class="narrowed">
        <FacetPanel address={address.query} facets={facets} />
        {list}
      </div>
    );
  }
  return (
    <>
      <CategoryGrid categories={facets.category ?? []} />
      {list}
    </>
  );
}
