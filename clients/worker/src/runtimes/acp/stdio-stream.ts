import { Writable } from 'node:stream';
import { type AnyMessage, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { type JsonObject, objectOf } from '../json-values.ts';
import type { RuntimeProcess } from '../runtime.ts';

const MAX_LINE_BYTES = 8 * 1024 * 1024;

interface StdioOptions {
  /** Resolves when more may be read. */
  room(): Promise<void>;
  /** Receives the updates of sessions: the SDK drops those that it does not know, with an error on the console. */
  onUpdate(params: JsonObject): void;
}

/** The messages of a program. A line of more than 8 MiB ends them. */
export function openStdio({ stdin, stdout }: RuntimeProcess, { room, onUpdate }: StdioOptions): Stream {
  let isOpen = true;
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
      stdout.resume();
    },
    cancel() {
      isOpen = false;
      // A program whose output is not read cannot exit.
      stdout.resume();
    },
  });
  const output = Writable.toWeb(stdin) as WritableStream<Uint8Array>;
  return filter(ndJsonStream(output, input, { maxMessageBytes: MAX_LINE_BYTES }), onUpdate);
}

/** Keeps updates and answers that nobody waits for from the SDK. */
function filter({ readable, writable }: Stream, onUpdate: StdioOptions['onUpdate']): Stream {
  const asked = new Set<unknown>();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ('method' in message && message.method === 'session/update') onUpdate(objectOf(message.params));
      else if ('method' in message || asked.delete(message.id)) controller.enqueue(message);
    },
  });
  const outgoing = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ('method' in message && 'id' in message) asked.add(message.id);
      controller.enqueue(message);
    },
  });
  outgoing.readable.pipeTo(writable).catch(() => {});
  return { readable: readable.pipeThrough(incoming), writable: outgoing.writable };
}
