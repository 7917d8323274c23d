/** The state of the registry that the reader has seen. */
export interface SeenSnapshot {
  id: string;
  /** When it was seen first. */
  at: string;
}

const ITEM = 'fleet.registry-seen';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

export function readSeen(store: Store): SeenSnapshot | undefined {
  try {
    const seen = JSON.parse(store.getItem(ITEM) ?? 'null');
    return typeof seen?.id === 'string' && typeof seen?.at === 'string' ? { id: seen.id, at: seen.at } : undefined;
  } catch {
    return undefined;
  }
}

export function keepSeen(store: Store, seen: SeenSnapshot): void {
  store.setItem(ITEM, JSON.stringify(seen));
}
