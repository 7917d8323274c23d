import { compact } from '../../text/numbers.ts';
import { hrefWith } from './address-links.ts';
import { facetLabel } from './labels.ts';
import type { FacetValue } from './results.ts';

const MAX_SHOWN = 12;

/** The largest categories, as a way into the catalogue. */
export function CategoryGrid({ categories }: { categories: readonly FacetValue[] }) {
  if (categories.length < 2) return null;
  return (
    <section class="stack-tight" aria-labelledby="categories">
      <h2 id="categories">Categories</h2>
      <ul class="categories">
        {categories.slice(0, MAX_SHOWN).map(({ value, count: skills }) => (
          <li key={value}>
            <a class="category" href={hrefWith(new URLSearchParams(), { category: value })}>
              <span class="category-name">{facetLabel('category', value)}</span>
              <span class="muted number">{compact(skills)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
