import { type DestinationStream, pino } from 'pino';

const BUFFER_BYTES = 15 * 1024;
const MAX_BUFFER_BYTES = 16 * 1024 * 1024;
const FLUSH_EVERY_MS = 250;

/**
 * Standard output, written behind the requests: in pieces of 15 KiB, after 250 ms at the latest, and when the process exits. Lines are
 * dropped once 16 MiB wait for a reader that has stopped.
 */
export function openLogDestination(): DestinationStream {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFER_BYTES,
    maxLength: MAX_BUFFER_BYTES,
  });
  setInterval(() => destination.flush(), FLUSH_EVERY_MS).unref();
  return destination;
}
