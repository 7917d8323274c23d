import { Tabs } from '../../components/tabs.tsx';
import { hrefWith } from './address-links.ts';
import { SORT_TITLES } from './labels.ts';
import { SORTS, sortOf, wordsOf } from './list-query.ts';

/** The orders of the list; each has an address of its own. */
export function SortTabs({ address }: { address: URLSearchParams }) {
  const hasWords = wordsOf(address) !== '';
  const first = hasWords ? 'relevance' : 'trending';
  const current = sortOf(address);
  const tabs = SORTS.filter((sort) => hasWords || sort !== 'relevance').map((sort) => ({
    label: SORT_TITLES[sort],
    href: hrefWith(address, { sort: sort === first ? undefined : sort }),
    isCurrent: sort === current,
  }));
  return <Tabs label="Sort" tabs={tabs} />;
}
