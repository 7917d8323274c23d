import { type Delta, FleetError, type LogEntry } from '@agent-fleet/sdk';
import { createBatch } from '../../../api/batch.ts';
import { fleet } from '../../../api/fleet.ts';
import type { TaskPath } from '../task-record.ts';

export type LogState = 'loading' | 'live' | 'reconnecting' | 'failed' | 'ended';

/** A log that is being followed. */
export interface FollowedLog {
  /** Connects at once. */
  retry: () => void;
  end: () => void;
}

interface LogHandlers {
  /** In order, some at a time. */
  onEntries: (entries: LogEntry[]) => void;
  /** Text that no entry has yet. */
  onDelta: (delta: Delta) => void;
  /** With the reason of `failed`. It is tried again all the same. */
  onState: (state: LogState, error?: unknown) => void;
  /** Whether the task has ended: its stream closes then. */
  isEnded: () => boolean;
}

const LOG = '/agents/{agent_id}/tasks/{task_id}/log-entries';
const PAGE_ENTRIES = 1_000;
/** What is read at first: the newest. */
const TAIL_ENTRIES = 500;
/** For so long a broken stream is opened again. */
const OUTAGE_MS = 30_000;
/** Entries that come at once are rendered together. */
const COLLECT_MS = 100;

/** Follows the log of a task while the tab is visible: as a stream, and after the end of the task as pages. */
export function followLog(path: TaskPath, { onEntries, onDelta, onState, isEnded }: LogHandlers): FollowedLog {
  let reading = new AbortController();
  const batch = createBatch(COLLECT_MS, onEntries);
  let last = 0;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  const start = () => (last > 0 ? { after: last } : { tail: TAIL_ENTRIES });

  async function* readStream(signal: AbortSignal) {
    const stream = new AbortController();
    const onConnection = (isOpen: boolean) => {
      if (signal.aborted) return;
      // It has closed at the end of the task, or has broken off: what is missing is on pages.
      if (!isOpen && isEnded()) stream.abort();
      else onState(isOpen ? 'live' : 'reconnecting');
    };
    const signals = { signal: AbortSignal.any([signal, stream.signal]), outageMs: OUTAGE_MS, onConnection, onDelta };
    try {
      for await (const { data } of fleet.events(LOG, { params: { path, query: start() }, ...signals })) yield data;
    } catch (error) {
      if (signal.aborted || !stream.signal.aborted) throw error;
    }
  }

  async function* readEntries(signal: AbortSignal) {
    if (!isEnded()) yield* readStream(signal);
    yield* fleet.paginate(LOG, { params: { path, query: { ...start(), limit: PAGE_ENTRIES } }, signal });
  }

  async function read(signal: AbortSignal): Promise<void> {
    try {
      for await (const entry of readEntries(signal)) {
        if (signal.aborted) return;
        last = entry.id;
        batch.add(entry);
      }
      batch.flush();
      onState('ended');
    } catch (error) {
      if (signal.aborted) return;
      batch.flush();
      if (error instanceof FleetError && error.status === 404) return onState('ended');
      onState('failed', error);
      retryTimer = setTimeout(reopen, OUTAGE_MS);
    }
  }

  function reopen(): void {
    clearTimeout(retryTimer);
    reading.abort();
    if (document.hidden) return;
    reading = new AbortController();
    void read(reading.signal);
  }

  document.addEventListener('visibilitychange', reopen);
  reopen();
  return {
    retry: reopen,
    end() {
      batch.drop();
      clearTimeout(retryTimer);
      reading.abort();
      document.removeEventListener('visibilitychange', reopen);
    },
  };
}

/** All entries of a log. @throws FleetError */
export async function readAll(path: TaskPath): Promise<LogEntry[]> {
  return Array.fromAsync(fleet.paginate(LOG, { params: { path, query: { limit: PAGE_ENTRIES } } }));
}

/** Up to 1,000 entries before the one with this id. @throws FleetError */
export async function readEarlier(path: TaskPath, id: number): Promise<LogEntry[]> {
  const after = Math.max(0, id - 1 - PAGE_ENTRIES);
  const params = { path, query: { after, limit: PAGE_ENTRIES } };
  return (await fleet.get(LOG, { params })).data;
}
