import type { components } from '@agent-fleet/sdk';
import { signal } from '@preact/signals';
import { resetForUser } from '../../../frame/reset-for-user.ts';

export type BulkFailure = components['schemas']['BulkActionFailure'];

/** An action on many tasks, as far as it has come. */
export interface BulkRun {
  action: components['schemas']['BulkAction']['action'];
  state: 'running' | 'completed' | 'stopped';
  matched: number;
  done: number;
  failed: number;
  failures: readonly BulkFailure[];
  stop: () => Promise<void>;
}

/** The last one of this tab; it goes on while other pages are open. */
export const bulkRun = signal<BulkRun | undefined>(undefined);

resetForUser(dismissBulkRun);

export function dismissBulkRun(): void {
  bulkRun.value = undefined;
}
