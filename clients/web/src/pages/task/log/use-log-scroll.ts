import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

type Box = { current: HTMLDivElement | null };

export function useStayAtEnd(box: Box, isHeld: boolean, entries: unknown): void {
  useLayoutEffect(() => {
    if (!isHeld && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [isHeld, entries]);
}

/** When earlier or later lines come into the window, the line that was first stays where it is. */
export function useStayInPlace(box: Box, isHeld: boolean, firstId: number | undefined): void {
  const before = useRef<{ id: number; top: number }>(undefined);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !isHeld || !before.current || before.current.id === firstId) return;
    const line = element.querySelector<HTMLElement>(`[data-entry="${before.current.id}"]`);
    if (line) element.scrollTop += line.offsetTop - before.current.top;
  }, [firstId]);
  useEffect(() => {
    const line = box.current?.querySelector<HTMLElement>(`[data-entry="${firstId}"]`);
    before.current = firstId !== undefined && line ? { id: firstId, top: line.offsetTop } : undefined;
  });
}
