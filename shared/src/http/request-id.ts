import { randomUUID } from 'node:crypto';

declare global {
  namespace Express {
    interface Locals {
      /** The value of `X-Request-Id`, as received or new. */
      requestId: string;
    }
  }
}

/** Identifies a request in all logs and in its response. */
export const REQUEST_ID_HEADER = 'x-request-id';

const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** The client's request id if it has 1 to 128 visible ASCII characters, else a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && ACCEPTABLE.test(header) ? header : randomUUID();
}
