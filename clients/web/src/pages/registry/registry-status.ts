import type { components } from '@agent-fleet/sdk';

export type RegistryStatus = components['schemas']['RegistryStatus'];
export type SourceStatus = components['schemas']['RegistrySourceStatus'];
export type RejectedRecord = components['schemas']['RejectedRecord'];

type SourceState = 'failing' | 'refused' | 'unread' | 'current';

export function stateOf({ last_error, refused, snapshot_id }: SourceStatus): SourceState {
  if (refused) return 'refused';
  if (last_error) return 'failing';
  return snapshot_id === null ? 'unread' : 'current';
}

/** What needs attention first, else as they are configured. */
export function sortSources(sources: readonly SourceStatus[]): SourceStatus[] {
  const order: readonly SourceState[] = ['failing', 'refused', 'unread', 'current'];
  return sources.toSorted((a, b) => order.indexOf(stateOf(a)) - order.indexOf(stateOf(b)));
}

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
