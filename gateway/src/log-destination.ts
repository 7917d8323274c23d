import { type DestinationStream, pino } from 'pino';

const BATCH_CHARACTERS = 16 * 1024;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const FLUSH_EVERY_MS = 250;

/**
 * Standard output, written behind the requests: in pieces of 16 KiB, after 250 ms at the latest, and when the process exits. Lines are
 * dropped once 16 MiB wait for a reader that has stopped. Lines are put together here because pino's own destination goes through all
 * that waits again for each line.
 */
export function openLogDestination(): DestinationStream {
  const destination = pino.destination({ dest: 1, sync: false, maxLength: MAX_WAITING_BYTES });
  let batch = '';

  function flush(): void {
    if (batch === '') return;
    destination.write(batch);
    batch = '';
  }

  setInterval(flush, FLUSH_EVERY_MS).unref();
  process.on('exit', () => {
    flush();
    destination.flushSync();
  });
  return {
    write(line) {
      batch += line;
      if (batch.length >= BATCH_CHARACTERS) flush();
    },
  };
}
