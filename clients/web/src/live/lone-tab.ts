import type { EventQueue } from './event-queue.ts';
import { EventStream, MAX_GAP_MS } from './event-stream.ts';
import { listenTo } from './listen-to.ts';
import type { LiveTab, TabHandlers } from './live-tab.ts';

const TICK_MS = 1_000;

/** A tab with a stream of its own while it is visible: browsers have no Web Locks for plain http from elsewhere. */
export function openLoneTab(queue: EventQueue, { onState, onSignedOut }: TabHandlers): LiveTab {
  let stream: EventStream | undefined;
  let hiddenAt = Date.now();

  function open(): void {
    stream = new EventStream(queue.settled, {
      onBatch: (batch) => queue.push(batch),
      onMissed: () => queue.restart(),
      onState,
      onSignedOut,
    });
  }

  function close(): void {
    stream?.close();
    stream = undefined;
  }

  function onVisibility(): void {
    close();
    if (document.hidden) {
      hiddenAt = Date.now();
      return;
    }
    if (Date.now() - hiddenAt > MAX_GAP_MS) queue.restart();
    open();
  }

  const ignore = listenTo({ onVisibility, onOnline: () => stream?.reopen() });
  const timer = setInterval(() => stream?.tick(), TICK_MS);
  if (!document.hidden) open();

  return {
    close(): void {
      ignore();
      clearInterval(timer);
      close();
    },
  };
}
