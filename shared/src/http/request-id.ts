import { randomUUID } from 'node:crypto';

declare global {
  namespace Express {
    interface Locals {
      /** The value of `X-Request-Id`, as received or new. */
      requestId: string;
    }
  }
}

/** Names a request in every log and in its answer. */
export const REQUEST_ID_HEADER = 'x-request-id';

const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** The caller's request id where it is 1–128 visible ASCII characters, else a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && ACCEPTABLE.test(header) ? header : randomUUID();
}
