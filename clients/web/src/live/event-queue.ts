import type { Event } from '@agent-fleet/sdk';
import type { Batch } from './messages.ts';
import { createSettledId } from './settled-id.ts';

/** More events, or characters of them, that wait for their listeners are dropped: reading lists anew costs less. */
const MAX_EVENTS = 5_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

interface Options {
  /** Calls a function later: when the listeners may run. */
  schedule: (run: () => void) => void;
  deliver: (events: readonly Event[]) => void;
  /** Events may have been missed. */
  onMissed: () => void;
}

interface Waiting {
  json: string;
  /** Events up to this id have been delivered before. */
  after: number;
}

export type EventQueue = ReturnType<typeof createEventQueue>;

/** The events of a tab on their way to its listeners: each once, in order, bounded. */
export function createEventQueue({ schedule, deliver, onMissed }: Options) {
  let waiting: Waiting[] = [];
  let count = 0;
  let characters = 0;
  let last: number | undefined;
  const settled = createSettledId();
  let hasMissed = false;
  let isScheduled = false;

  function clear(): void {
    waiting = [];
    count = 0;
    characters = 0;
  }

  function scheduleFlush(): void {
    if (isScheduled) return;
    isScheduled = true;
    schedule(flush);
  }

  function flush(): void {
    isScheduled = false;
    const batches = waiting;
    clear();
    if (hasMissed) {
      hasMissed = false;
      onMissed();
    }
    const events = batches.flatMap(({ json, after }) =>
      (JSON.parse(json) as Event[]).filter(({ id }) => Number(id) > after),
    );
    if (events.length > 0) deliver(events);
  }

  function setLast(id: number): void {
    last = id;
    settled.note(id, Date.now());
  }

  function miss(): void {
    hasMissed = true;
    scheduleFlush();
  }

  return {
    /** The id of the last event. Undefined when none is known. */
    get last(): number | undefined {
      return last;
    },

    /** After which event this tab begins when it reads the stream itself. */
    get settled(): number | undefined {
      return settled.at(Date.now());
    },

    push(batch: Batch): void {
      if (last !== undefined && batch.last <= last) return;
      if (last !== undefined && batch.after !== undefined && batch.after > last) miss();
      count += batch.count;
      characters += batch.json.length;
      if (count > MAX_EVENTS || characters > MAX_CHARACTERS) {
        clear();
        miss();
      } else {
        waiting.push({ json: batch.json, after: last ?? -1 });
        scheduleFlush();
      }
      setLast(batch.last);
    },

    /** Notes the last event that another tab has: those that have not come here were missed. */
    moveTo(id: number): void {
      if (last !== undefined && id > last) miss();
      if (last === undefined || id > last) setLast(id);
    },

    /** Events may have been missed, and ids may begin anew. */
    restart(): void {
      last = undefined;
      settled.reset();
      miss();
    },

    /** Forgets all, at the end of a session. */
    reset(): void {
      clear();
      last = undefined;
      settled.reset();
      hasMissed = false;
    },
  };
}
