import { isBeyondEnd, rangeText } from './pager-range.ts';

interface PagerProps {
  /** Index of the first shown row, from 0. */
  skip: number;
  limit: number;
  /** Undefined while it is not known. */
  total: number | undefined;
  /** The address of the page that begins at a row. */
  hrefOf: (skip: number) => string;
  /** Its name, where a page has several. */
  label?: string;
}

/** Which rows are shown, and links to the pages before and after. */
export function Pager({ skip, limit, total, hrefOf, label = 'Pages' }: PagerProps) {
  if (total === undefined) return <p class="pager muted">&nbsp;</p>;
  const isBeyond = isBeyondEnd(skip, total);
  return (
    <nav class="pager row" aria-label={label}>
      <p class="muted number" aria-live="polite">
        {rangeText(skip, limit, total)}
      </p>
      <span class="row end">
        {isBeyond && (
          <a class="button button-plain button-small" href={hrefOf(0)}>
            First page
          </a>
        )}
        {skip > 0 && !isBeyond && (
          <a class="button button-plain button-small" href={hrefOf(Math.max(0, skip - limit))} rel="prev">
            Previous
          </a>
        )}
        {skip + limit < total && (
          <a class="button button-plain button-small" href={hrefOf(skip + limit)} rel="next">
            Next
          </a>
        )}
      </span>
    </nav>
  );
}
