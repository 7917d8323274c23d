import { fleet } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';
import { LinkButton } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { totalCount } from '../../list/list-page.ts';
import { plural } from '../../text/numbers.ts';
import { short } from '../../text/pieces.ts';
import { hrefWith, NO_FILTERS } from './address-links.ts';
import { FACETS, wordsOf } from './list-query.ts';

const MAX_WORDS = 80;

/** What to do when nothing matches. */
export function NoResults({ address }: { address: URLSearchParams }) {
  const words = wordsOf(address);
  const hasFilters = FACETS.some((name) => address.get(name));
  const unfiltered = useCountWithout(hasFilters ? words : undefined);
  const title = words ? `No skills match “${short(words, MAX_WORDS)}”` : 'No skills match these filters';
  return (
    <EmptyState
      title={title}
      actions={
        <>
          {hasFilters && (
            <LinkButton kind="primary" href={hrefWith(address, NO_FILTERS)}>
              {unfiltered ? `Show ${plural(unfiltered, 'skill')} without the filters` : 'Remove the filters'}
            </LinkButton>
          )}
          <LinkButton href="/">Show all skills</LinkButton>
        </>
      }
    >
      {words ? 'Fewer or other words may help: say what the skill does, such as “review code”.' : 'Remove one of them.'}
    </EmptyState>
  );
}

/** How many skills the words alone find. */
function useCountWithout(words: string | undefined): number | undefined {
  return useQuery(words ?? null, async (signal) => {
    const { response } = await fleet.get('/api/skills', {
      params: { query: { q: words, limit: 1, fields: 'id' } },
      signal,
    });
    return totalCount(response);
  }).data;
}
