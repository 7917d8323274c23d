import type { LogEntry } from '@agent-fleet/sdk';

export interface LogFilter {
  text: string;
  /** Only entries of this time, such as that of an attempt, in ms since 1970. */
  span?: { from: number; to: number };
}

/** Some of the entries that match. */
export interface LogWindow {
  entries: readonly LogEntry[];
  /** How many match before and after these. */
  before: number;
  after: number;
}

/** As many as the fleet keeps of a task. */
const MAX_ENTRIES = 10_000;
const MAX_CHARACTERS = 6 * 1024 * 1024;

/** The newest entries of a log, and those that match a filter. Each new entry is compared once. */
export function createLogBuffer(filter: LogFilter = { text: '' }) {
  let matches = toMatcher(filter);
  let entries: LogEntry[] = [];
  let matching: LogEntry[] = [];
  let characters = 0;

  function trim(): void {
    let dropped = 0;
    while (entries.length - dropped > MAX_ENTRIES || characters > MAX_CHARACTERS) {
      characters -= sizeOf(entries[dropped]);
      dropped += 1;
    }
    if (dropped === 0) return;
    entries = entries.slice(dropped);
    const first = entries[0]?.id ?? 0;
    const kept = matching.findIndex(({ id }) => id >= first);
    matching = kept < 0 ? [] : matching.slice(kept);
  }

  /** After a loss of the fleet's last writes, ids are used again. */
  function dropFrom(id: number): void {
    while ((entries.at(-1)?.id ?? -1) >= id) characters -= sizeOf(entries.pop());
    while ((matching.at(-1)?.id ?? -1) >= id) matching.pop();
  }

  return {
    /** In the order of their ids. */
    add(added: readonly LogEntry[]): void {
      if (added[0]) dropFrom(added[0].id);
      for (const entry of added) {
        entries.push(entry);
        characters += sizeOf(entry);
        if (matches(entry)) matching.push(entry);
      }
      trim();
    },

    /** Entries before all others. Returns how many of them are new. */
    addEarlier(earlier: readonly LogEntry[]): number {
      const first = entries[0]?.id ?? 0;
      const added = earlier.filter(({ id }) => id < first);
      entries = [...added, ...entries];
      matching = [...added.filter(matches), ...matching];
      for (const entry of added) characters += sizeOf(entry);
      return added.length;
    },

    setFilter(next: LogFilter): void {
      matches = toMatcher(next);
      matching = entries.filter(matches);
    },

    get size(): number {
      return entries.length;
    },

    /** Id of the first entry; 0 without any. */
    get first(): number {
      return entries[0]?.id ?? 0;
    },

    /** Up to `size` entries that end with `endId`, or with the newest; the first ones when that has been dropped. */
    window(size: number, endId?: number): LogWindow {
      const wanted = endId === undefined ? matching.length : countUpTo(matching, endId);
      const end = wanted || Math.min(size, matching.length);
      const start = Math.max(0, end - size);
      return { entries: matching.slice(start, end), before: start, after: matching.length - end };
    },
  };
}

function sizeOf(entry: LogEntry | undefined): number {
  return entry ? entry.text.length + (entry.data ? JSON.stringify(entry.data).length : 0) : 0;
}

/** All that an entry says, on one line. */
export function plainText({ at, level, stream, text, data }: LogEntry): string {
  return `${at} ${level} ${stream ?? '-'} ${text}${data ? JSON.stringify(data) : ''}`;
}

export function toMatcher({ text, span }: LogFilter): (entry: LogEntry) => boolean {
  const wanted = text.toLowerCase();
  return (entry) => {
    const at = span && Date.parse(entry.at);
    if (span && at !== undefined && (at < span.from || at >= span.to)) return false;
    return wanted === '' || plainText(entry).toLowerCase().includes(wanted);
  };
}

/** How many entries have an id up to this one. */
function countUpTo(entries: readonly LogEntry[], id: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.id ?? 0) <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}
