interface PagerProps {
  /** Index of the first shown row, from 0. */
  skip: number;
  limit: number;
  /** Undefined while it is not known. */
  total: number | undefined;
  /** The address of the page that begins at a row. */
  hrefOf: (skip: number) => string;
}

/** Which rows are shown, and links to the pages before and after. */
export function Pager({ skip, limit, total, hrefOf }: PagerProps) {
  if (total === undefined) return <p class="pager muted">&nbsp;</p>;
  const last = Math.min(skip + limit, total);
  return (
    <nav class="pager row" aria-label="Pages">
      <p class="muted number" aria-live="polite">
        {total === 0 ? 'None' : `${format(Math.min(skip + 1, total))}–${format(last)} of ${format(total)}`}
      </p>
      <span class="row end">
        {skip > 0 && (
          <a class="button button-plain button-small" href={hrefOf(Math.max(0, skip - limit))} rel="prev">
            Previous
          </a>
        )}
        {last < total && (
          <a class="button button-plain button-small" href={hrefOf(skip + limit)} rel="next">
            Next
          </a>
        )}
      </span>
    </nav>
  );
}

function format(number: number): string {
  return number.toLocaleString('en');
}
