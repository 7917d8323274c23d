const LONGEST_MS = 250;
const FRAME_MS = 16;

/** Runs a function with the next frame; after 250 ms in a page that is not drawn. */
export function onNextFrame(run: () => void): void {
  const runOnce = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    run();
  };
  const frame = requestAnimationFrame(runOnce);
  const timer = setTimeout(runOnce, LONGEST_MS);
}

const channel = new MessageChannel();
const waiting: (() => void)[] = [];
channel.port1.onmessage = () => waiting.shift()?.();

/** Runs a function within a frame. Timers of hidden pages are late by up to a minute, messages are not. */
export function soon(run: () => void): void {
  if (!document.hidden) {
    setTimeout(run, FRAME_MS);
    return;
  }
  waiting.push(run);
  channel.port2.postMessage(undefined);
}
