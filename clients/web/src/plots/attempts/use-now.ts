import { useEffect, useState } from 'preact/hooks';

const TICK_MS = 1_000;

/** The time, anew each second while `isRunning` and the page is visible. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => document.visibilityState === 'visible' && setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
