import { KNOWN_METHODS, NO_RESPONSE_STATUS } from '../metrics/http-metrics.ts';
import type { EndedSpan } from './span.ts';

/** A span name of low cardinality: the template instead of the path, and no method that a client invents. */
export function toSpanName(method: string, route: string | undefined): string {
  const name = KNOWN_METHODS.has(method) ? method : 'HTTP';
  return route === undefined ? name : `${name} ${route}`;
}

/** What all spans of HTTP requests have, by OpenTelemetry's semantic conventions. */
export function toHttpAttributes(method: string, status: number | undefined): EndedSpan['attributes'] {
  const isKnown = KNOWN_METHODS.has(method);
  const hasResponse = status !== undefined && status !== NO_RESPONSE_STATUS;
  return {
    'http.request.method': isKnown ? method : '_OTHER',
    'http.request.method_original': isKnown ? undefined : method,
    'http.response.status_code': hasResponse ? status : undefined,
    'error.type': hasResponse && status >= 500 ? String(status) : undefined,
  };
}
