import type { IncomingHttpHeaders } from 'node:http';

/** Server-Sent Events (HTML standard, section 9.2). A stream may last indefinitely and may be silent for long. */
const EVENT_STREAM = 'text/event-stream';

/** Whether a client accepts an event stream. */
export function acceptsEventStream({ accept }: IncomingHttpHeaders): boolean {
  return accept?.includes(EVENT_STREAM) ?? false;
}

/** Whether a response is an event stream. */
export function isEventStream({ 'content-type': type }: IncomingHttpHeaders): boolean {
  return type?.startsWith(EVENT_STREAM) ?? false;
}
