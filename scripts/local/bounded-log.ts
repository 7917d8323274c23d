import { openSync, renameSync, statSync } from 'node:fs';
import { copyFile, stat, truncate } from 'node:fs/promises';

const MAX_BYTES = 32 * 1024 * 1024;
const CHECK_MS = 10_000;

/** An open log file whose size is watched. */
export interface LogFile {
  /** Opened for appending, mode 0600. */
  fd: number;
  /** Offset in bytes at which new output begins. */
  start: number;
  /** Ends the watch over its size; `fd` stays open. */
  unwatch(): void;
}

/**
 * Opens a log for other processes to append to; one that is larger than `maxBytes` becomes `<file>.1`, now and while
 * they write.
 */
export function openBoundedLog(file: string, maxBytes = MAX_BYTES): LogFile {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(file, `${file}.1`);
  const fd = openSync(file, 'a', 0o600);
  const check = () => void boundLog(file, maxBytes).catch((error) => process.emitWarning(error));
  const timer = setInterval(check, CHECK_MS).unref();
  return { fd, start: statSync(file).size, unwatch: () => clearInterval(timer) };
}

/** Moves the content to `<file>.1` while other processes append; lines written meanwhile may be lost. */
export async function boundLog(file: string, maxBytes: number): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= maxBytes) return;
  await copyFile(file, `${file}.1`);
  await truncate(file);
}
