import type { Event } from '@agent-fleet/sdk';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { live } from './live.ts';
import { whenReleased } from './when-released.ts';

export interface QueryOptions<T> {
  /** Loads again every so often while the page is visible. */
  everyMs?: number;
  /** Loads again after an event for which this is true, and after events may have been missed. */
  reloadOn?: (event: Event) => boolean;
  /** Least time between two loads that events cause. Default 1,000. */
  minIntervalMs?: number;
  /** The answer where it is known already: nothing is loaded then. */
  known?: T;
}

export interface Query<T> {
  /** The last answer; that of the key before while the one of a new key is loading. */
  data: T | undefined;
  /** Why the present key could not be loaded. */
  error: unknown;
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
  { everyMs, reloadOn, minIntervalMs = 1_000, known }: QueryOptions<T> = {},
): Query<T> {
  const [answer, setAnswer] = useState<Answer<T>>({});
  const current = useRef({ load, reloadOn, reload: () => {} });
  current.current.load = load;
  current.current.reloadOn = reloadOn;

  // Not after the next paint: the shell has requested what the first page needs, so it may be there already.
  useLayoutEffect(() => {
    if (key === null) return;
    const loader = createLoader({
      load: (signal) => current.current.load(signal),
      onData: (data) => setAnswer({ key, data }),
      onError: (error) => setAnswer((before) => ({ ...before, failedKey: key, error })),
      minIntervalMs,
    });
    current.current.reload = loader.reload;
    if (known === undefined) loader.reload();
    else setAnswer({ key, data: known });
    const timer = everyMs && setInterval(() => document.visibilityState === 'visible' && loader.reload(), everyMs);
    const unfollow = followEvents(() => current.current.reloadOn, loader);
    return () => {
      loader.stop();
      clearInterval(timer || undefined);
      unfollow();
    };
  }, [key, everyMs, minIntervalMs]);

  return {
    data: known ?? answer.data,
    error: answer.failedKey === key ? answer.error : undefined,
    isStale: known === undefined && answer.key !== key,
    reload: () => current.current.reload(),
  };
}

type Loader = ReturnType<typeof createLoader>;

function followEvents(reloadOn: () => QueryOptions<unknown>['reloadOn'], loader: Loader): () => void {
  let seen = live.resyncs.peek();
  const ends = [
    live.subscribe((events) => {
      const matches = reloadOn();
      if (matches && events.some(matches)) loader.reloadSoon();
    }),
    live.resyncs.subscribe((resyncs) => {
      if (resyncs !== seen && reloadOn()) loader.reload();
      seen = resyncs;
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

interface LoaderOptions<T> {
  load: (signal: AbortSignal) => Promise<T>;
  onData: (data: T) => void;
  onError: (error: unknown) => void;
  minIntervalMs: number;
}

/** One load at a time; a reload that comes while one runs follows it. */
function createLoader<T>({ load, onData, onError, minIntervalMs }: LoaderOptions<T>) {
  const controller = new AbortController();
  const { signal } = controller;
  let isRunning = false;
  let isWanted = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = 0;

  async function run(): Promise<void> {
    isRunning = true;
    lastAt = performance.now();
    const show = await load(signal).then(
      (data) => () => onData(data),
      (error: unknown) => () => onError(error),
    );
    await whenReleased();
    if (!signal.aborted) show();
    isRunning = false;
    if (isWanted && !signal.aborted) reloadSoon();
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
