import { useEffect, useState } from 'preact/hooks';

/** As many as a window shows. */
const FIRST_ROWS = 20;

/** The first rows at once, and all of them after the first paint: on slow devices the page is there sooner. */
export function useFirstRows<Row>(rows: readonly Row[] | undefined): readonly Row[] | undefined {
  const [isPainted, setPainted] = useState(false);
  const hasRows = rows !== undefined;
  useEffect(() => {
    if (!hasRows) return;
    const timer = setTimeout(() => setPainted(true));
    return () => clearTimeout(timer);
  }, [hasRows]);
  return isPainted ? rows : rows?.slice(0, FIRST_ROWS);
}
