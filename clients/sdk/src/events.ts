import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { backoffMs, sleep } from './backoff.ts';
import { type FleetError, FleetUnavailableError, parseBody, toNetworkError } from './errors.ts';
import type { Settings } from './options.ts';
import { isTemporary, type Outgoing, sendOnce } from './send.ts';

/** One event of a stream. */
export interface StreamEvent<Data> {
  /** The stream resumes after this event if it is given as `lastEventId`. */
  id: string;
  /** Its type; `resync`: earlier events are no longer stored. */
  event: string;
  data: Data;
}

/** Live text of a log that is still being written, of the output of a call if it names one. */
export interface Delta {
  call_id?: string | null;
  text: string;
}

export interface StreamOptions {
  /** Begins after this event. */
  lastEventId?: string;
  /** Ends the stream. */
  signal?: AbortSignal;
  /** How long the fleet may be unavailable before the stream throws. Default 10 minutes. */
  outageMs?: number;
  /** Called when the stream has opened (true), and when it is broken and will be opened again (false). */
  onConnection?: (isOpen: boolean) => void;
  /** Called with the live text of a log, of which some may be missing: the entry that follows has all of it. */
  onDelta?: (delta: Delta) => void;
}

interface Connection {
  lastEventId: string;
  attempt: number;
  signal: AbortSignal | undefined;
  onOpen: () => void;
}

/** The fleet sends a comment every 15 s. */
const IDLE_MS = 40_000;
const DEFAULT_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const DEFAULT_OUTAGE_MS = 10 * 60_000;
/** Of one event: more than the largest event of a fleet has. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** The id that a filtered stream has with its comments, which the parser does not give: no event is before it. */
const POSITION = /\nid: ?([^\r\n]+)\n\n$/;

/**
 * Reads a stream of events, and opens it again after the last event whenever it breaks, ends or is silent for 40 s,
 * until the fleet ends it for good (204). At most one chunk of the connection is read ahead of the caller.
 * @throws FleetError; the signal's reason; RangeError for an event of more than 4 million characters
 */
export async function* readEvents<Data>(
  settings: Settings,
  request: Outgoing,
  { lastEventId = '', signal, outageMs = DEFAULT_OUTAGE_MS, onConnection = () => {}, onDelta }: StreamOptions,
): AsyncGenerator<StreamEvent<Data>, void, undefined> {
  let retryMs = DEFAULT_RETRY_MS;
  let failures = 0;
  let heardAt = performance.now();
  const onOpen = () => onConnection(true);
  for (let attempt = 1; ; attempt++) {
    let delayMs = retryMs;
    const parse = createEventReader((ms) => {
      retryMs = Math.min(ms, MAX_RETRY_MS);
      delayMs = retryMs;
    });
    try {
      for await (const text of readChunks(settings, request, { lastEventId, attempt, signal, onOpen })) {
        if (text === undefined) return;
        for (const { id, event = 'message', data } of parse(text)) {
          lastEventId = id || lastEventId;
          if (event === 'delta') {
            onDelta?.(parseBody(data) as Delta);
            continue;
          }
          yield { id: lastEventId, event, data: parseBody(data) as Data };
        }
        lastEventId = POSITION.exec(text)?.[1] ?? lastEventId;
        failures = 0;
        heardAt = performance.now();
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTemporary(error) || performance.now() - heardAt > outageMs) throw error;
      failures += 1;
      delayMs += backoffMs(failures, (error as FleetError).retryAfterSeconds);
    }
    onConnection(false);
    await sleep(delayMs, signal);
  }
}

/** Returns the events that are complete with a piece of text. @throws RangeError for an event that is too large */
function createEventReader(onRetry: (ms: number) => void): (text: string) => EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  const parser = createParser({
    maxBufferSize: MAX_CHARACTERS,
    onEvent: (event) => events.push(event),
    onRetry,
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') throw new RangeError('an event is too large');
    },
  });
  return (text) => {
    parser.feed(text);
    return events.splice(0);
  };
}

/** The text of one connection until it ends; undefined if the fleet has ended the stream for good. */
async function* readChunks(
  settings: Settings,
  request: Outgoing,
  { lastEventId, attempt, signal, onOpen }: Connection,
): AsyncGenerator<string | undefined, void, undefined> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const silent = () => controller.abort(new FleetUnavailableError(`no event or comment for ${IDLE_MS / 1000} s`));
  let timer = setTimeout(silent, IDLE_MS);
  signal?.addEventListener('abort', abort);
  try {
    signal?.throwIfAborted();
    const headers = new Headers(request.headers);
    headers.set('accept', 'text/event-stream');
    if (lastEventId !== '') headers.set('last-event-id', lastEventId);
    const response = await sendOnce(settings, { ...request, headers }, attempt, controller.signal);
    if (response.status === 204) yield undefined;
    const reader = toReader(response);
    onOpen();
    const decoder = new TextDecoder();
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(silent, IDLE_MS);
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw controller.signal.aborted ? controller.signal.reason : toNetworkError(error);
      });
      clearTimeout(timer);
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    controller.abort();
  }
}

function toReader({ headers, body }: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new FleetUnavailableError('the response is not a stream of events');
  }
  return body.getReader();
}
