import type { ErrorDoc, HeaderDoc, ResponseDoc } from '@agent-fleet/shared/contract/operation';
import { queryText } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';

/** What `stale-*` mean: RFC 5861. */
export const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400';

/** Request headers that every cached answer honours. */
export const CONDITIONAL_HEADERS: Record<string, HeaderDoc> = {
  'If-None-Match': { description: 'Entity tags known to the client, or `*`.', schema: { type: 'string' } },
  'If-Modified-Since': {
    description: 'Counts only without `If-None-Match`, and where it is a valid HTTP-date.',
    schema: { type: 'string' },
  },
  'Accept-Encoding': { description: '`br`, `gzip` and `identity` are spoken.', schema: { type: 'string' } },
};

const CACHE_HEADERS: Record<string, HeaderDoc> = {
  ETag: {
    description: 'Strong; another one for each content coding that may be asked for.',
    schema: { type: 'string' },
    required: true,
  },
  'Last-Modified': {
    description: 'When this snapshot was made; of `/registry.json`, when this file was first fetched.',
    schema: { type: 'string' },
    required: true,
  },
  'Cache-Control': {
    description: 'How long to keep it.',
    schema: { type: 'string', example: CACHE_CONTROL },
    required: true,
  },
  Vary: { description: 'Always `Accept-Encoding`.', schema: { type: 'string' }, required: true },
};

/** Response headers that every cached answer carries. */
export const REPRESENTATION_HEADERS: Record<string, HeaderDoc> = {
  ...CACHE_HEADERS,
  'Content-Encoding': {
    description: '`br` or `gzip`, where one was asked for; not for what is too small to be worth it.',
    schema: { type: 'string' },
  },
};

export const NOT_MODIFIED: ResponseDoc = { description: 'The client has it already.', headers: CACHE_HEADERS };

/** Where a body may be streamed. */
export const OVERLOADED: ErrorDoc = {
  status: 503,
  description:
    'So many answers are being streamed already: lists of more than 1,000 skills that are not the whole list, and raw files of more than 1 MiB in a coding that they are not kept in.',
  example: { error: 'overloaded', message: 'Too many large answers are being sent; try again' },
  headers: {
    'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' }, required: true },
  },
};

/** Of `/registry.json`. */
export const RAW_FILE_QUERY = z.object({
  source: queryText(
    'Which source’s file, where there are several: one of `sources` of `/api/registry/status`. Default the first; an unknown one is 400.',
  ),
});
