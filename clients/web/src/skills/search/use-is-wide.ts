import { useEffect, useState } from 'preact/hooks';

const WIDE = '(width >= 64rem)';

/** Whether there is room for filters beside the list. */
export function useIsWide(): boolean {
  const [query] = useState(() => matchMedia(WIDE));
  const [isWide, setWide] = useState(query.matches);
  useEffect(() => {
    const onChange = () => setWide(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, [query]);
  return isWide;
}
