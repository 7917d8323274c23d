import type { RuntimeEvent } from '../runtime.ts';

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
