import { Writable } from 'node:stream';
import { type AnyMessage, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { type JsonObject, objectOf } from '../json.ts';
import type { RuntimeEvent, RuntimeProcess } from '../runtime.ts';

const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** When so many requests wait until their answers are written, no more output is read. */
const MAX_REQUESTS = 1_000;

interface StdioOptions {
  /** Resolves when more may be read. */
  room(): Promise<void>;
  /** Receives the updates of sessions: the SDK drops those that it does not know, with an error on the console. */
  onUpdate(params: JsonObject): void;
}

/** The messages of a program. A line of more than 8 MiB ends them. */
export function openStdio({ stdin, stdout }: RuntimeProcess, { room, onUpdate }: StdioOptions): Stream {
  let isOpen = true;
  const requests = countRequests();
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      stdout.on('data', (chunk: Buffer) => {
        if (!isOpen) return;
        stdout.pause();
        controller.enqueue(chunk);
      });
      stdout.once('close', () => {
        if (isOpen) controller.close();
        isOpen = false;
      });
    },
    async pull() {
      await room();
      await requests.room();
      stdout.resume();
    },
    cancel() {
      isOpen = false;
      // A program whose output is not read cannot exit.
      stdout.resume();
    },
  });
  const output = Writable.toWeb(stdin) as WritableStream<Uint8Array>;
  return filter(ndJsonStream(output, input, { maxMessageBytes: MAX_LINE_BYTES }), onUpdate, requests);
}

/** Counts what an agent asks for: it may ask without end, and never read an answer. */
function countRequests() {
  let waiting = 0;
  let resume = () => {};
  return {
    begin: () => void waiting++,
    end(): void {
      waiting -= 1;
      if (waiting < MAX_REQUESTS) resume();
    },
    async room(): Promise<void> {
      if (waiting >= MAX_REQUESTS) await new Promise<void>((resolve) => (resume = resolve));
    },
  };
}

/** Keeps updates, other notifications and answers that nobody waits for from the SDK. */
function filter(
  { readable, writable }: Stream,
  onUpdate: StdioOptions['onUpdate'],
  requests: Pick<ReturnType<typeof countRequests>, 'begin' | 'end'>,
): Stream {
  const asked = new Set<unknown>();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ('method' in message && message.method === 'session/update') onUpdate(objectOf(message.params));
      else if ('method' in message) {
        // Nothing else that expects no answer is of use.
        if (!('id' in message)) return;
        requests.begin();
        controller.enqueue(message);
      } else if (asked.delete(message.id)) controller.enqueue(message);
    },
  });
  const outgoing = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (!('method' in message)) requests.end();
      else if ('id' in message) asked.add(message.id);
      controller.enqueue(message);
    },
  });
  outgoing.readable.pipeTo(writable).catch(() => {});
  return { readable: readable.pipeThrough(incoming), writable: outgoing.writable };
}

/** When so many events wait, no more output is read. */
const MAX_WAITING = 1_000;

/** Events in their order, from callbacks to an iteration. */
export function createEventQueue() {
  const waiting: RuntimeEvent[] = [];
  let isClosed = false;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  return {
    /** After `close` nothing is added. */
    add(event: RuntimeEvent): void {
      if (isClosed) return;
      waiting.push(event);
      change();
    },
    close(): void {
      isClosed = true;
      change();
    },
    isClosed: () => isClosed,
    /** Resolves when few events wait, or none will be taken. */
    async room(): Promise<void> {
      while (waiting.length > MAX_WAITING && !isClosed) await changed.promise;
    },
    async *events(): AsyncGenerator<RuntimeEvent> {
      try {
        while (true) {
          const event = waiting.shift();
          if (event !== undefined) {
            change();
            yield event;
          } else if (isClosed) return;
          else await changed.promise;
        }
      } finally {
        isClosed = true;
        change();
      }
    },
  };
}
