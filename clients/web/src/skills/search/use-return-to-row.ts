import { useEffect } from 'preact/hooks';

let left: string | undefined;

/** After the Back button, the focus is on the row of the skill whose page was open. */
export function useReturnToRow(): void {
  useEffect(() => {
    const row =
      left === undefined ? null : document.querySelector<HTMLElement>(`[data-row][href="${CSS.escape(left)}"]`);
    left = undefined;
    row?.focus({ preventScroll: true });
    if (row && !isInView(row)) row.scrollIntoView({ block: 'center' });
    return () => {
      left = location.pathname;
    };
  }, []);
}

function isInView(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}
