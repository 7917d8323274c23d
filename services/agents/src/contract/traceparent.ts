import type { IncomingMessage } from 'node:http';
import { readTraceparent } from '@agent-fleet/shared/tracing/trace-context';

/** The W3C `traceparent` that new tasks get: of the request, or of the one `began` that it continues; null without. */
export function traceparentOf({ headers }: IncomingMessage, began?: { traceparent?: string | null }): string | null {
  if (began) return began.traceparent ?? null;
  const { traceparent } = headers;
  return (traceparent !== undefined && readTraceparent(String(traceparent))) || null;
}
