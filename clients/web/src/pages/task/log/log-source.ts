import { FleetError, type LogEntry } from '@agent-fleet/sdk';
import { fleet } from '../../../api/fleet.ts';
import type { TaskKey } from '../task-record.ts';

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
  /** How long to collect entries. */
  collectMs: () => number;
  /** With the reason of `failed`. It is tried again all the same. */
  onState: (state: LogState, error?: unknown) => void;
  /** Whether the task has ended: nothing more comes. */
  isEnded: () => boolean;
}

const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const PAGE_ENTRIES = 1_000;
/** What is read at first: the newest. */
const TAIL_ENTRIES = 500;

/**
 * Follows the log of a task while the tab is visible: as a stream, and after the end of the task as pages.
 */
export function followLog(task: TaskKey, { onEntries, collectMs, onState, isEnded }: LogHandlers): FollowedLog {
  let hasLeft = false;
  let reading: AbortController | undefined;
  let collected: LogEntry[] = [];
  let last = 0;
  let failures = 0;
  let source: EventSource | undefined;
  let flushTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(flushTimer);
    flushTimer = undefined;
    if (collected.length > 0) onEntries(collected);
    collected = [];
  }

  function take({ data }: MessageEvent<string>): void {
    const entry = JSON.parse(data) as LogEntry;
    last = entry.id;
    collected.push(entry);
    flushTimer ??= setTimeout(flush, collectMs());
  }

  function open(): void {
    if (hasLeft || document.visibilityState === 'hidden') return;
    if (isEnded()) {
      reading = new AbortController();
      return void readRest(reading.signal);
    }
    source = new EventSource(`${pathOf(task)}?${last > 0 ? `after=${last}` : `tail=${TAIL_ENTRIES}`}`);
    source.addEventListener('log', take);
    source.onopen = () => {
      failures = 0;
      onState('live');
    };
    source.onerror = retry;
  }

  /** The stream also breaks off at the end of the task. */
  function retry(): void {
    close();
    flush();
    if (!isEnded()) onState('reconnecting');
    const delayMs = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** failures) * (0.75 + Math.random() / 2);
    failures += 1;
    retryTimer = setTimeout(open, delayMs);
  }

  /** One at a time. */
  async function readRest(signal: AbortSignal): Promise<void> {
    try {
      for await (const entry of pagesOf(task, last, signal)) {
        if (signal.aborted) return;
        last = entry.id;
        collected.push(entry);
        flushTimer ??= setTimeout(flush, collectMs());
      }
      flush();
      onState('ended');
    } catch (error) {
      if (signal.aborted) return;
      if (isGone(error)) return onState('ended');
      retry();
      onState('failed', error);
    }
  }

  function close(): void {
    clearTimeout(retryTimer);
    reading?.abort();
    source?.close();
    source = undefined;
  }

  function reopen(): void {
    close();
    open();
  }

  document.addEventListener('visibilitychange', reopen);
  open();
  return {
    retry: reopen,
    end() {
      hasLeft = true;
      clearTimeout(flushTimer);
      close();
      document.removeEventListener('visibilitychange', reopen);
    },
  };
}

function isGone(error: unknown): boolean {
  return error instanceof FleetError && error.status === 404;
}

function pathOf({ agentId, taskId }: TaskKey): string {
  return `/agents/${encodeURIComponent(agentId)}/tasks/${encodeURIComponent(taskId)}/log-entries`;
}

function pagesOf({ agentId, taskId }: TaskKey, after: number, signal: AbortSignal) {
  const start = after > 0 ? { after } : { tail: TAIL_ENTRIES };
  const params = { path: { agent_id: agentId, task_id: taskId }, query: { ...start, limit: PAGE_ENTRIES } };
  return fleet.paginate('/agents/{agent_id}/tasks/{task_id}/log-entries', { params, signal });
}

/** Up to 1,000 entries before the one with this id. @throws FleetError */
export async function readEarlier({ agentId, taskId }: TaskKey, id: number): Promise<LogEntry[]> {
  const after = Math.max(0, id - 1 - PAGE_ENTRIES);
  const params = { path: { agent_id: agentId, task_id: taskId }, query: { after, limit: PAGE_ENTRIES } };
  const { data } = await fleet.get('/agents/{agent_id}/tasks/{task_id}/log-entries', { params });
  return data;
}
