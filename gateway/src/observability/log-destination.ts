import { fstatSync } from 'node:fs';
import { type DestinationStream, pino } from 'pino';

const BATCH_BYTES = 16 * 1024;
/** A pipe takes a write of so many bytes whole (PIPE_BUF of Linux), whoever else writes into it; a file takes any. */
const WHOLE_WRITE_BYTES = 4 * 1024;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const FLUSH_EVERY_MS = 250;

/**
 * Standard output, written behind the requests: in pieces of 16 KiB, after 250 ms at the latest, and when the process exits. Where other
 * processes write into the same pipe (`isShared`), in pieces of 4 KiB, which no line of theirs gets into: that takes 2 µs more of
 * processor time a line (measured). A piece is whole lines. Lines are dropped once 16 MiB wait for a reader that has stopped. Lines are
 * put together here because pino's own destination goes through all that waits again for each line.
 */
export function openLogDestination({ isShared }: { isShared: boolean }): DestinationStream {
  const maxBytes = isShared && !fstatSync(1).isFile() ? WHOLE_WRITE_BYTES : BATCH_BYTES;
  const destination = pino.destination({ dest: 1, sync: false, maxLength: MAX_WAITING_BYTES, maxWrite: maxBytes });
  let batch = '';
  let batchBytes = 0;

  function flush(): void {
    if (batch === '') return;
    destination.write(batch);
    batch = '';
    batchBytes = 0;
  }

  setInterval(flush, FLUSH_EVERY_MS).unref();
  process.on('exit', () => {
    destination.flushSync();
    // Of what is written behind the process's back from here on, nothing is certain.
    if (batch !== '') pino.destination({ dest: 1, sync: true }).write(batch);
  });
  return {
    write(line) {
      const bytes = Buffer.byteLength(line);
      if (batchBytes + bytes > maxBytes) flush();
      batch += line;
      batchBytes += bytes;
    },
  };
}
