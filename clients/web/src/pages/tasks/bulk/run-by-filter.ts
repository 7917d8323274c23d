import { type components, FleetError } from '@agent-fleet/sdk';
import { fleet } from '../../../api/fleet.ts';
import { type BulkRun, bulkRun, dismissBulkRun } from './bulk-run.ts';
import type { BulkFilter, BulkVerb } from './bulk-verbs.ts';

type BulkAction = components['schemas']['BulkAction'];

const POLL_MS = 700;
/** Survives a reload of the page. */
const ITEM = 'fleet.bulk-action';

/** How many tasks an action would change. @throws FleetError */
export async function countMatches(action: BulkVerb, filter: BulkFilter, signal: AbortSignal): Promise<number> {
  const { data } = await fleet.post('/bulk-actions', { body: { action, filter, dry_run: true }, signal });
  return data.matched;
}

/** Begins a bulk action and follows it. Resolves when it has begun. @throws FleetError */
export async function runByFilter(action: BulkVerb, filter: BulkFilter): Promise<void> {
  const { data } = await fleet.post('/bulk-actions', { body: { action, filter } });
  if (!('id' in data)) return;
  const begun = { id: data.id, action, state: 'running', matched: data.matched, done: 0, failed: 0 } as const;
  show({ ...begun, failures: [] });
  sessionStorage.setItem(ITEM, data.id);
  void follow(data.id);
}

/** Follows the action that was under way when the page was left. */
export function resumeBulkAction(): void {
  const id = sessionStorage.getItem(ITEM);
  if (id !== null) void follow(id);
}

let followed: string | undefined;

async function follow(id: string): Promise<void> {
  if (followed === id) return;
  followed = id;
  for (let isRunning = true; isRunning; ) {
    const action = await read(id);
    if (action === 'gone') dismissBulkRun();
    else if (action) show(action);
    isRunning = action !== 'gone' && action?.state !== 'completed' && action?.state !== 'stopped';
    if (isRunning) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  sessionStorage.removeItem(ITEM);
}

/** Undefined while the fleet is unavailable: the action goes on. */
async function read(id: string): Promise<BulkAction | 'gone' | undefined> {
  try {
    return (await fleet.get('/bulk-actions/{id}', { params: { path: { id } } })).data;
  } catch (error) {
    const isFinal = error instanceof FleetError && [401, 403, 404].includes(error.status);
    return isFinal ? 'gone' : undefined;
  }
}

/** Its end is seen by `follow`, also if it has ended by itself meanwhile. @throws FleetError */
async function stop(id: string): Promise<void> {
  try {
    await fleet.delete('/bulk-actions/{id}', { params: { path: { id } } });
  } catch (error) {
    if (!(error instanceof FleetError && error.status === 409)) throw error;
  }
}

function show({ id, action, state, matched, done, failed, failures }: Omit<BulkAction, 'created_at' | 'ended_at'>) {
  const run: BulkRun = { action, state, matched, done, failed, failures, stop: () => stop(id) };
  bulkRun.value = run;
}
