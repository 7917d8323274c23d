import { constants } from 'node:os';

/**
 * Calls `onGone` when the parent process has ended, even by kill -9; does nothing if the parent opened no channel.
 */
export function onParentGone(onGone: () => void): void {
  process.once('disconnect', onGone);
  // The channel alone does not keep this process running.
  process.channel?.unref();
}

/** Exits when this process gets a signal or loses its parent; its child processes end with it. */
export function exitOnSignals(): void {
  const exit = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal]);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, exit);
  onParentGone(() => exit('SIGTERM'));
}
