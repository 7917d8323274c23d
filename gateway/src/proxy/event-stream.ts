import type { IncomingHttpHeaders } from 'node:http';

/** Server-Sent Events, of which design and HTML standard (section 9.2) say: they last, and are silent for as long as nothing happens. */
const EVENT_STREAM = 'text/event-stream';

declare global {
  namespace Express {
    interface Locals {
      /** The answer is one: it lasts as long as its client likes. */
      isEventStream?: boolean;
    }
  }
}

/** Whether a client accepts one. */
export function acceptsEventStream({ accept }: IncomingHttpHeaders): boolean {
  return accept?.includes(EVENT_STREAM) ?? false;
}

/** Whether an answer is one. */
export function isEventStream({ 'content-type': type }: IncomingHttpHeaders): boolean {
  return type?.startsWith(EVENT_STREAM) ?? false;
}
