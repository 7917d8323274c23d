import type { Event } from '@agent-fleet/sdk';
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { live } from '../live/live.ts';

export interface QueryOptions {
  /** Loads again every so often while the page is visible. */
  everyMs?: number;
  /** Loads again after an event for which this is true, and after events may have been missed. */
  reloadOn?: (event: Event) => boolean;
  /** Least time between two loads that events cause. Default 1,000. */
  minIntervalMs?: number;
}

export interface Query<T> {
  /** The last answer; that of the key before while the one of a new key is loading. */
  data: T | undefined;
  /** Why the present key could not be loaded. */
  error: unknown;
  isLoading: boolean;
  /** Whether `data` belongs to another key than the present one. */
  isStale: boolean;
  reload: () => void;
}

interface Answer<T> {
  key?: string;
  data?: T;
  failedKey?: string;
  error?: unknown;
}

/**
 * Loads what `key` stands for and loads it anew when the key changes; null loads nothing. An answer that comes after
 * the key has changed is dropped. A failed reload keeps the data that are there.
 */
export function useQuery<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  { everyMs, reloadOn, minIntervalMs = 1_000 }: QueryOptions = {},
): Query<T> {
  const [answer, setAnswer] = useState<Answer<T>>({});
  const [isLoading, setLoading] = useState(key !== null);
  const current = useRef({ load, reloadOn, reload: () => {} });
  current.current.load = load;
  current.current.reloadOn = reloadOn;

  useEffect(() => {
    if (key === null) return;
    const loader = createLoader(
      (signal) => current.current.load(signal),
      (result) => {
        const { data, error } = result;
        setAnswer((before) => ('error' in result ? { ...before, failedKey: key, error } : { key, data }));
      },
      setLoading,
      minIntervalMs,
    );
    current.current.reload = loader.reload;
    loader.reload();
    const timer = everyMs && setInterval(() => document.visibilityState === 'visible' && loader.reload(), everyMs);
    const unsubscribe = live.subscribe((events) => {
      const { reloadOn: matches } = current.current;
      if (matches && events.some(matches)) loader.reloadSoon();
    });
    return () => {
      loader.stop();
      clearInterval(timer || undefined);
      unsubscribe();
    };
  }, [key, everyMs, minIntervalMs]);

  const seenResyncs = useRef(live.resyncs.peek());
  useSignalEffect(() => {
    const resyncs = live.resyncs.value;
    if (resyncs === seenResyncs.current) return;
    seenResyncs.current = resyncs;
    if (current.current.reloadOn) current.current.reload();
  });

  return {
    data: answer.data,
    error: answer.failedKey === key ? answer.error : undefined,
    isLoading,
    isStale: answer.key !== key,
    reload: () => current.current.reload(),
  };
}

/** One load at a time; a reload that comes while one runs follows it. */
function createLoader<T>(
  load: (signal: AbortSignal) => Promise<T>,
  onResult: (result: Answer<T>) => void,
  onLoading: (isLoading: boolean) => void,
  minIntervalMs: number,
) {
  const controller = new AbortController();
  const { signal } = controller;
  let isRunning = false;
  let isWanted = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = 0;

  async function run(): Promise<void> {
    isRunning = true;
    lastAt = performance.now();
    onLoading(true);
    const result = await load(signal).then(
      (data): Answer<T> => ({ data }),
      (error: unknown): Answer<T> => ({ error }),
    );
    isRunning = false;
    if (signal.aborted) return;
    onResult(result);
    onLoading(false);
    if (isWanted) reloadSoon();
  }

  function reload(): void {
    clearTimeout(timer);
    timer = undefined;
    isWanted = isRunning;
    if (!isRunning && !signal.aborted) void run();
  }

  function reloadSoon(): void {
    isWanted = isRunning;
    if (isRunning || timer !== undefined) return;
    timer = setTimeout(reloadInSight, Math.max(0, lastAt + minIntervalMs - performance.now()));
  }

  /** A hidden tab waits until somebody looks at it. */
  function reloadInSight(): void {
    if (document.visibilityState === 'visible') reload();
    else document.addEventListener('visibilitychange', reloadInSight, { once: true, signal });
  }

  return {
    reload,
    reloadSoon,
    stop(): void {
      clearTimeout(timer);
      controller.abort();
    },
  };
}
