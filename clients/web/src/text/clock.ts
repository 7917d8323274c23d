import { signal } from '@preact/signals';

const TICK_MS = 10_000;
const ticks = signal(0, { watched: start, unwatched: stop });
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * The time. What reads it while it renders, or in a computed signal, is brought up to date every ten seconds while the
 * page is visible: one timer for the whole page.
 */
export function currentTime(): number {
  void ticks.value;
  return Date.now();
}

function start(): void {
  document.addEventListener('visibilitychange', onVisibilityChange);
  schedule();
}

function stop(): void {
  document.removeEventListener('visibilitychange', onVisibilityChange);
  clearInterval(timer);
}

function schedule(): void {
  clearInterval(timer);
  if (document.visibilityState === 'visible') timer = setInterval(tick, TICK_MS);
}

function onVisibilityChange(): void {
  schedule();
  if (document.visibilityState === 'visible') tick();
}

function tick(): void {
  ticks.value += 1;
}
