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
