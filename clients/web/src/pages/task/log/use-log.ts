import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { explain } from '../../../components/notice.tsx';
import { toast } from '../../../components/toast.tsx';
import type { TaskPath } from '../task-record.ts';
import { createLogBuffer, type LogFilter, type LogWindow } from './log-buffer.ts';
import { type FollowedLog, followLog, type LogState, readEarlier } from './log-source.ts';

/** At first: those before would be built for nobody to see. */
const SHOWN_ENTRIES = 200;
const MAX_DELTA = 8_192;
/** As many more with each "Show earlier". */
const EARLIER_ENTRIES = 200;

/** The log of a task: its newest entries, or while it is held, those up to the last one that was shown then. */
export function useLog(path: TaskPath, isEnded: boolean) {
  const [buffer] = useState(() => createLogBuffer());
  const [version, setVersion] = useState(0);
  const render = () => setVersion((before) => before + 1);
  const [{ state, error }, setState] = useState<{ state: LogState; error?: unknown }>({ state: 'loading' });
  const source = useRef<FollowedLog>(undefined);
  const [filter, setFilter] = useState<LogFilter>({ text: '' });
  const [delta, setDelta] = useState('');
  const [held, setHeld] = useState<{ endId: number | undefined; size: number }>();
  const ended = useRef(isEnded);
  ended.current = isEnded;

  useEffect(() => {
    const followed = followLog(path, {
      onEntries(entries) {
        buffer.add(entries);
        // The entry is the truth.
        if (entries.some(({ type }) => type === 'text' || type === 'tool_result')) setDelta('');
        render();
      },
      onDelta: ({ text }) => setDelta((before) => (before + text).slice(-MAX_DELTA)),
      onState: (state, error) => setState({ state, error }),
      isEnded: () => ended.current,
    });
    source.current = followed;
    return followed.end;
  }, [path.task_id]);

  const shown: LogWindow = buffer.window(held?.size ?? SHOWN_ENTRIES, held?.endId);
  const isFiltered = filter.text !== '' || filter.span !== undefined;
  const earlier = useEarlier(path, buffer, { isAllWanted: isFiltered, version, onAdded: render });
  useLinkedLine(buffer, earlier, (id) => setHeld({ endId: id + LINES_AFTER_LINKED, size: SHOWN_ENTRIES }));
  const now = { endId: shown.entries.at(-1)?.id, size: SHOWN_ENTRIES };
  return {
    shown,
    state,
    /** Why it could not be read. */
    error,
    /** What the agent writes now. */
    delta: isEnded ? '' : delta,
    retry: () => source.current?.retry(),
    size: buffer.size,
    filter,
    isHeld: held?.endId !== undefined,
    hasEarlier: shown.before > 0 || (buffer.size > 0 && !earlier.isComplete && !isFiltered),
    setFilter(next: LogFilter) {
      buffer.setFilter(next);
      setFilter(next);
      setHeld(undefined);
    },
    /** Keeps what is shown. */
    hold() {
      if (held?.endId === undefined) setHeld(now);
    },
    follow: () => setHeld(undefined),
    async showEarlier() {
      if (shown.before === 0) await earlier.load();
      setHeld((before = now) => ({ ...before, size: before.size + EARLIER_ENTRIES }));
    },
  };
}

type Buffer = ReturnType<typeof createLogBuffer>;

const LINKED = /^#log-(\d+)$/;
/** So many lines after the one that the address names are shown. */
const LINES_AFTER_LINKED = 50;

/** Shows the line that the page's address names, once, when the lines up to it are there. */
function useLinkedLine(buffer: Buffer, earlier: ReturnType<typeof useEarlier>, show: (id: number) => void): void {
  const linked = useRef(Number(LINKED.exec(location.hash)?.[1] ?? 0));
  const id = linked.current;
  useEffect(() => {
    if (id === 0 || buffer.size === 0) return;
    if (buffer.first > id && !earlier.isComplete) return void earlier.load();
    linked.current = 0;
    show(id);
    // The browser has looked for it before it was there.
    requestAnimationFrame(() => location.replace(location.hash));
  }, [id, buffer.first, earlier.isComplete]);
}

interface EarlierOptions {
  /** Whether all entries are needed, as for a filter. */
  isAllWanted: boolean;
  /** Changes with the buffer. */
  version: number;
  onAdded: () => void;
}

/** Reads the entries before those that a buffer has, on demand. */
function useEarlier(path: TaskPath, buffer: ReturnType<typeof createLogBuffer>, options: EarlierOptions) {
  const { isAllWanted, version, onAdded } = options;
  const [isRead, setRead] = useState(false);
  const isLoading = useRef(false);
  const isComplete = isRead || buffer.first <= 1;

  async function load(): Promise<void> {
    if (isLoading.current || isComplete) return;
    isLoading.current = true;
    try {
      // The first of a log that has lost its beginning says so; before that one there is nothing.
      if (buffer.addEarlier(await readEarlier(path, buffer.first)) === 0) setRead(true);
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

/** Also when what is shown grows afterwards, as Markdown does. */
export function useStayAtEnd(box: Box, isHeld: boolean): void {
  const held = useRef(isHeld);
  held.current = isHeld;
  const stay = () => {
    if (!held.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  useLayoutEffect(stay);
  useEffect(() => {
    const observer = new ResizeObserver(stay);
    if (box.current?.firstElementChild) observer.observe(box.current.firstElementChild);
    return () => observer.disconnect();
  }, []);
}
