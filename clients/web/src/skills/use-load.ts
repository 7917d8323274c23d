import { useLayoutEffect, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** The last answer; that of the key before while the one of a new key is loading. */
  data: T | undefined;
  /** Whether `data` belongs to another key than the present one. */
  isStale: boolean;
  /** Why the present key could not be loaded. */
  error: unknown;
  reload: () => void;
}

interface Answer<T> {
  key?: string;
  data?: T;
  failedKey?: string;
  error?: unknown;
}

/**
 * Loads what `key` stands for, unless it is `known`, and anew when the key changes; undefined loads nothing. An answer
 * that comes after the key has changed is dropped. The public pages use it in place of `useQuery`, which brings the
 * stream of events along.
 */
export function useLoad<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>, known?: T): Loaded<T> {
  const [answer, setAnswer] = useState<Answer<T>>({});
  const [reloads, setReloads] = useState(0);

  // Not after the next paint: the shell has requested what the first page needs, so it may be there already.
  useLayoutEffect(() => {
    if (key === undefined) return;
    if (known !== undefined) return setAnswer({ key, data: known });
    const controller = new AbortController();
    const { signal } = controller;
    setAnswer(({ failedKey: _, error: _error, ...before }) => before);
    load(signal).then(
      (data) => !signal.aborted && setAnswer({ key, data }),
      (error: unknown) => !signal.aborted && setAnswer((before) => ({ ...before, failedKey: key, error })),
    );
    return () => controller.abort();
  }, [key, reloads]);

  return {
    data: known ?? answer.data,
    isStale: known === undefined && answer.key !== key,
    error: answer.failedKey === key ? answer.error : undefined,
    reload: () => setReloads(reloads + 1),
  };
}
