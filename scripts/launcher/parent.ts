/** Calls `gone` when the process that started this one has ended, even by kill -9; does nothing when it gave no channel. */
export function onParentGone(gone: () => void): void {
  process.once('disconnect', gone);
  // The channel alone is no reason to go on running.
  process.channel?.unref();
}
