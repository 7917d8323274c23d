import type { Used } from '../task.ts';

export type UsedCounter = ReturnType<typeof createUsedCounter>;

/**
 * What an attempt has used: the numbers of the key proxy if it saw calls, else those of the runtime.
 * @param onChange receives each new total
 */
export function createUsedCounter(onChange: (total: Used) => void) {
  let ofRuntime: Used | undefined;
  let ofProxy: Used | undefined;
  /** Undefined while nothing is known. */
  const total = () => ofProxy ?? ofRuntime;
  const changed = () => {
    const now = total();
    if (now !== undefined) onChange(now);
  };
  return {
    total,
    runtime(used: Used): void {
      ofRuntime = used;
      changed();
    },
    /** @param used undefined if the proxy saw no call */
    proxy(used: Used | undefined): void {
      ofProxy = used ?? ofProxy;
      if (used !== undefined) changed();
    },
  };
}
