import type { Batch } from './messages.ts';
import { soon } from './schedule.ts';

const MAX_EVENTS = 1_000;
const MAX_CHARACTERS = 1024 * 1024;

/** Makes batches of the events of a stream that follow `after`: one within a frame, or more when they are many. */
export function collectBatches(after: number | undefined, onBatch: (batch: Batch) => void) {
  let flushed = after;
  let last = after;
  let events: string[] = [];
  let characters = 0;
  let isScheduled = false;

  function flush(): void {
    if (events.length === 0 || last === undefined) return;
    const batch = { after: flushed, last, count: events.length, json: `[${events.join(',')}]` };
    events = [];
    characters = 0;
    flushed = last;
    onBatch(batch);
  }

  function flushSoon(): void {
    if (isScheduled) return;
    isScheduled = true;
    soon(() => {
      isScheduled = false;
      flush();
    });
  }

  return {
    /** The id of the last event. Undefined when none is known. */
    get last(): number | undefined {
      return last;
    },

    add(id: number, json: string): void {
      last = id;
      events.push(json);
      characters += json.length;
      if (events.length >= MAX_EVENTS || characters > MAX_CHARACTERS) flush();
      else flushSoon();
    },

    flush,

    /** What follows is no continuation. */
    restart(): void {
      flush();
      flushed = undefined;
      last = undefined;
    },
  };
}
