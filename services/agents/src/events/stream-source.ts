/** An event or a log entry. Numbers increase within a stream. */
export interface StreamItem {
  number: number;
}

export interface StreamPage<Item extends StreamItem> {
  items: Item[];
  /** The number after which the next page starts; includes skipped items. */
  next: number;
  /** Whether there are no more items now. */
  isLast: boolean;
}

/**
 * Whether more items of a stream may follow: not when its agent or task no longer exists (`gone`); an `ended` task may
 * have items that were not sent yet.
 */
export type StreamEnd = 'open' | 'ended' | 'gone';

/** Is notified of what happens in a stream. */
interface StreamListener<Item extends StreamItem> {
  onItem(item: Item): void;
  /** There may be items that `onItem` did not get; with `mayHaveEnded`, the stream may also have ended. */
  onChange(mayHaveEnded: boolean): void;
  /** The agent was deleted. */
  onGone(): void;
}

/** A stream as its clients see it: stored items, and new ones as they arrive. */
export interface StreamSource<Item extends StreamItem = StreamItem> {
  /** Where a stream starts by default: after this number; undefined: with the first item that is kept. */
  findStart(): Promise<number | undefined>;
  /** Reads up to `limit` items after a number, or of all that are kept. */
  read(after: number | undefined, limit: number): Promise<StreamPage<Item>>;
  findEnd(): Promise<StreamEnd>;
  /** Whether there is no item between number `last` and this one, which has just arrived. */
  isNext(item: Item, last: number): boolean;
  /** Whether no item follows this one. */
  isEnd(item: Item): boolean;
  /** The type and the JSON of a message; undefined for an item that the client does not get. */
  toMessage(item: Item): { type: string; json: string } | undefined;
  /** Whether the client gets only some items. */
  isFiltered: boolean;
  /** Returns a function that unsubscribes. */
  subscribe(listener: StreamListener<Item>): () => void;
}
