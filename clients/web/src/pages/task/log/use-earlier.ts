import { useEffect, useRef, useState } from 'preact/hooks';
import { explain } from '../../../components/notice.tsx';
import { toast } from '../../../components/toast.tsx';
import type { TaskKey } from '../task-key.ts';
import type { createLogBuffer } from './log-buffer.ts';
import { readEarlier } from './log-source.ts';

interface EarlierOptions {
  /** Whether all entries are needed, as for a filter. */
  isAllWanted: boolean;
  /** Changes with the buffer. */
  version: number;
  onAdded: () => void;
}

/** Reads the entries before those that a buffer has, on demand. */
export function useEarlier(task: TaskKey, buffer: ReturnType<typeof createLogBuffer>, options: EarlierOptions) {
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
