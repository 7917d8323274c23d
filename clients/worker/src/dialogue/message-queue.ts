import type { TaskMessage } from '../options.ts';

/** Messages in their order, for one reader. */
export function createMessageQueue() {
  const waiting: TaskMessage[] = [];
  let changed = Promise.withResolvers<void>();
  let isEnded = false;
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  return {
    add(message: TaskMessage): void {
      waiting.push(message);
      change();
    },
    take: () => waiting.splice(0),
    /** @param confirms whether the reader says itself what has become of a message */
    async *read(confirms: boolean): AsyncGenerator<TaskMessage, void, undefined> {
      while (true) {
        const message = waiting.shift();
        if (message !== undefined) {
          if (!confirms) message.delivered();
          yield message;
        } else if (isEnded) return;
        else await changed.promise;
      }
    },
    end(): void {
      isEnded = true;
      change();
    },
  };
}
