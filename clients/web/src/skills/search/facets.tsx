import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { Tabs } from '../../components/tabs.tsx';
import type { Address } from '../../frame/address.ts';
import { count } from '../../text/numbers.ts';
import { FACET_TITLES, facetLabel, SORT_TITLES } from './labels.ts';
import { FACETS, type FacetName, hrefWith, NO_FILTERS, SORTS, sortOf, wordsOf } from './list-query.ts';
import type { FacetValue, Results } from './results.ts';

const FIRST_VALUES = 8;

interface FacetPanelProps {
  address: URLSearchParams;
  facets: Results['facets'];
}

/** Links that narrow the list down, with the number of skills that each leads to. */
export function FacetPanel({ address, facets }: FacetPanelProps) {
  const isWide = useIsWide();
  const setCount = FACETS.filter((name) => address.get(name)).length;
  const groups = FACETS.filter((name) => hasChoice(address, name, facets[name])).map((name) => (
    <FacetGroup key={name} name={name} address={address} values={facets[name] ?? []} />
  ));
  if (groups.length === 0) return <div />;
  const all = (
    <nav class="stack facets-groups" aria-label="Filters">
      {groups}
      {setCount > 1 && <a href={hrefWith(address, NO_FILTERS)}>Remove all filters</a>}
    </nav>
  );
  if (isWide) return all;
  return (
    <details class="facets-folded">
      <summary>Filters{setCount > 0 && ` (${setCount})`}</summary>
      {all}
    </details>
  );
}

/** A group whose only value is on all skills would narrow nothing down. */
function hasChoice(address: URLSearchParams, name: FacetName, values: readonly FacetValue[] = []): boolean {
  if (address.get(name)) return true;
  return name === 'kind' || name === 'valid' ? values.length > 1 : values.length > 0;
}

interface FacetGroupProps {
  name: FacetName;
  address: URLSearchParams;
  values: readonly FacetValue[];
}

function FacetGroup({ name, address, values }: FacetGroupProps) {
  const [isWhole, setWhole] = useState(false);
  const current = address.get(name);
  const isCurrent = ({ value }: FacetValue) => value.toLowerCase() === current?.toLowerCase();
  const others = values.filter((value) => !isCurrent(value));
  const shown = isWhole ? others : others.slice(0, FIRST_VALUES);
  const title = FACET_TITLES[name];
  const { group, onFollow } = useFocusKept(current);
  return (
    <section ref={group} class="facet" aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {current && (
          <li>
            <a
              class="facet-value"
              href={hrefWith(address, { [name]: undefined })}
              aria-current="true"
              onClick={onFollow}
            >
              <span class="cut">{facetLabel(name, current)}</span>
              <span aria-hidden="true">✕</span>
              <span class="visually-hidden">Remove</span>
            </a>
          </li>
        )}
        {shown.map(({ value, count: skills }) => (
          <li key={value}>
            <a class="facet-value" href={hrefWith(address, { [name]: value })} onClick={onFollow}>
              <span class="cut">{facetLabel(name, value)}</span>
              <span class="number muted">{count(skills)}</span>
            </a>
          </li>
        ))}
      </ul>
      {others.length > FIRST_VALUES && (
        <Button kind="quiet" isSmall aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show ${others.length - FIRST_VALUES} more`}
        </Button>
      )}
    </section>
  );
}

/** Following a link of a group takes it away: the focus goes to the one in its place. */
function useFocusKept(current: string | null) {
  const group = useRef<HTMLElement>(null);
  const isFollowed = useRef(false);
  useEffect(() => {
    if (isFollowed.current) group.current?.querySelector('a')?.focus({ preventScroll: true });
    isFollowed.current = false;
  }, [current]);
  const onFollow = () => {
    isFollowed.current = true;
  };
  return { group, onFollow };
}

/** The filters that are set, each with a button that removes it. */
export function FilterChips({ address }: { address: Address }) {
  const set = FACETS.flatMap((name) => {
    const value = address.query.get(name);
    return value ? [{ name, text: `${FACET_TITLES[name]}: ${facetLabel(name, value)}` }] : [];
  });
  if (set.length === 0) return null;
  return (
    <ul class="row" aria-label="Active filters">
      {set.map(({ name, text }) => (
        <li key={name}>
          <Chip name={text} onRemove={() => address.set({ [name]: undefined })}>
            {text}
          </Chip>
        </li>
      ))}
    </ul>
  );
}

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

const WIDE = '(width >= 64rem)';

/** Whether there is room for filters beside the list. */
function useIsWide(): boolean {
  const [query] = useState(() => matchMedia(WIDE));
  const [isWide, setWide] = useState(query.matches);
  useEffect(() => {
    const onChange = () => setWide(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, [query]);
  return isWide;
}
