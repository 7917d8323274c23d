const SETTLED_MS = 1_000;

interface Seen {
  id: number;
  at: number;
}

/**
 * The last event of at least a second ago: all tabs have it, while later ones may still be on their way between tabs.
 * A new leader begins there.
 */
export function createSettledId() {
  let before: Seen | undefined;
  let latest: Seen | undefined;

  return {
    note(id: number, now: number): void {
      if (latest && now - latest.at < SETTLED_MS) return;
      before = latest;
      latest = { id, at: now };
    },

    at(now: number): number | undefined {
      const isSettled = latest !== undefined && now - latest.at >= SETTLED_MS;
      return (isSettled ? latest : (before ?? latest))?.id;
    },

    reset(): void {
      before = undefined;
      latest = undefined;
    },
  };
}
