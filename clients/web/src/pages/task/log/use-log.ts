import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { explain } from '../../../components/notice.tsx';
import { toast } from '../../../components/toast.tsx';
import type { TaskKey } from '../task-record.ts';
import { createLogBuffer, type LogFilter, type LogWindow } from './log-buffer.ts';
import { type FollowedLog, followLog, type LogState, readEarlier } from './log-source.ts';

const SHOWN_ENTRIES = 500;
/** While new ones come: those before would be built for nobody to see. */
const FOLLOWED_ENTRIES = 200;
/** How far the window moves: some of its lines stay in sight. */
const STEP_ENTRIES = 400;

/** The log of a task: at most 500 of its entries, the newest unless the window is held. */
export function useLog({ agentId, taskId }: TaskKey, isEnded: boolean) {
  const [buffer] = useState(() => createLogBuffer());
  const [version, setVersion] = useState(0);
  const render = () => setVersion((before) => before + 1);
  const [{ state, error }, setState] = useState<{ state: LogState; error?: unknown }>({ state: 'loading' });
  const source = useRef<FollowedLog>(undefined);
  const [filter, setFilter] = useState<LogFilter>({ text: '', level: 'debug' });
  const [endId, setEndId] = useState<number>();
  const ended = useRef(isEnded);
  ended.current = isEnded;
  const pace = usePace();

  useEffect(() => {
    const followed = followLog(
      { agentId, taskId },
      {
        onEntries(entries) {
          pace.begin();
          buffer.add(entries);
          render();
        },
        collectMs: pace.intervalMs,
        onState: (state, error) => setState({ state, error }),
        isEnded: () => ended.current,
      },
    );
    source.current = followed;
    return followed.end;
  }, [agentId, taskId]);

  const shown: LogWindow = buffer.window(endId === undefined ? FOLLOWED_ENTRIES : SHOWN_ENTRIES, endId);
  const isFiltered = filter.text !== '' || filter.level !== 'debug';
  const earlier = useEarlier({ agentId, taskId }, buffer, { isAllWanted: isFiltered, version, onAdded: render });
  const lastShown = shown.entries.at(-1)?.id;
  const move = (offset: number) => lastShown !== undefined && setEndId(buffer.idAt(lastShown, offset));
  return {
    shown,
    state,
    /** Why it could not be read. */
    error,
    retry: () => source.current?.retry(),
    size: buffer.size,
    filter,
    isHeld: endId !== undefined,
    hasEarlier: shown.before > 0 || (buffer.size > 0 && !earlier.isComplete && !isFiltered),
    setFilter(next: LogFilter) {
      buffer.setFilter(next);
      setFilter(next);
      setEndId(undefined);
    },
    /** Keeps what is shown. */
    hold: () => endId === undefined && setEndId(lastShown),
    follow: () => setEndId(undefined),
    async showEarlier() {
      if (shown.before === 0) await earlier.load();
      move(-STEP_ENTRIES);
    },
    showLater: () => move(STEP_ENTRIES),
  };
}

const MIN_INTERVAL_MS = 100;
/** Of the time that the main thread has, lines take at most one part in so many. */
const SHARE = 5;

/** How often to render: less often the longer it takes, so that the page responds whatever comes. */
function usePace() {
  const begun = useRef<number>(undefined);
  const cost = useRef(0);
  useLayoutEffect(() => {
    if (begun.current !== undefined) cost.current = performance.now() - begun.current;
    begun.current = undefined;
  });
  return {
    begin() {
      begun.current = performance.now();
    },
    intervalMs: () => Math.max(MIN_INTERVAL_MS, cost.current * SHARE),
  };
}

interface EarlierOptions {
  /** Whether all entries are needed, as for a filter. */
  isAllWanted: boolean;
  /** Changes with the buffer. */
  version: number;
  onAdded: () => void;
}

/** Reads the entries before those that a buffer has, on demand. */
function useEarlier(task: TaskKey, buffer: ReturnType<typeof createLogBuffer>, options: EarlierOptions) {
  const { isAllWanted, version, onAdded } = options;
  const [isRead, setRead] = useState(false);
  const isLoading = useRef(false);
  const isComplete = isRead || buffer.first <= 1;

  async function load(): Promise<void> {
    if (isLoading.current || isComplete) return;
    isLoading.current = true;
    try {
      // The first of a log that has lost its beginning says so; before that one there is nothing.
      if (buffer.addEarlier(await readEarlier(task, buffer.first)) === 0) setRead(true);
      onAdded();
    } catch (error) {
      setRead(true);
      toast(`The earlier lines could not be loaded. ${explain(error)}`, 'error');
    } finally {
      isLoading.current = false;
    }
  }

  useEffect(() => {
    if (isAllWanted && buffer.size > 0) void load();
  }, [isAllWanted, version]);
  return { isComplete, load };
}

type Box = { current: HTMLDivElement | null };

export function useStayAtEnd(box: Box, isHeld: boolean, entries: unknown): void {
  useLayoutEffect(() => {
    if (!isHeld && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [isHeld, entries]);
}

/** When earlier or later lines come into the window, the line that was first stays where it is. */
export function useStayInPlace(box: Box, isHeld: boolean, firstId: number | undefined): void {
  const before = useRef<{ id: number; top: number }>(undefined);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !isHeld || !before.current || before.current.id === firstId) return;
    const line = element.querySelector<HTMLElement>(`[data-entry="${before.current.id}"]`);
    if (line) element.scrollTop += line.offsetTop - before.current.top;
  }, [firstId]);
  useEffect(() => {
    const line = box.current?.querySelector<HTMLElement>(`[data-entry="${firstId}"]`);
    before.current = firstId !== undefined && line ? { id: firstId, top: line.offsetTop } : undefined;
  });
}
