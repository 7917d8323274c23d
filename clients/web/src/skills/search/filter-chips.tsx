import { Chip } from '../../components/chip.tsx';
import type { Address } from '../../frame/address.ts';
import { FACET_TITLES, facetLabel } from './labels.ts';
import { FACETS } from './list-query.ts';

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
