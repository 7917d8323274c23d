import type { IncomingMessage } from 'node:http';

/** The client's address, as the gateway reports it; null for a request that is not from the gateway. */
export function clientOf({ headers }: IncomingMessage): string | null {
  return headers['x-forwarded-for']?.toString() ?? null;
}
