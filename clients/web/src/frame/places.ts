import { useEffect } from 'preact/hooks';

/** Where one was on a page: how far down, and on which row. Its entry of the history has it. */
let wanted: { top: number; row: string | null } | null = null;

const keepPlace = ({ target }: Event) => {
  const row = (target as Element).closest('tr, li')?.querySelector('[data-row]')?.getAttribute('href') ?? null;
  history.replaceState({ top: scrollY, row }, '');
};
addEventListener('click', keepPlace, true);
addEventListener('popstate', ({ state }) => (wanted = state));
// Whoever goes on is not taken back.
for (const type of ['pointerdown', 'keydown', 'wheel']) addEventListener(type, () => (wanted = null), true);

/** After the Back button, scrolls a page that is ready to where one was, and focuses the row that one has opened. */
export function useReturnToPlace(isReady: boolean): void {
  // After each render: rows may come in several parts.
  useEffect(() => {
    if (!isReady || !wanted) return;
    const { top, row } = wanted;
    const link = document.querySelector<HTMLElement>(`[data-row][href="${CSS.escape(row ?? '')}"]`);
    link?.focus({ preventScroll: true });
    scrollTo(0, top);
    if ((link || row === null) && Math.abs(scrollY - top) < 2) wanted = null;
  });
}
