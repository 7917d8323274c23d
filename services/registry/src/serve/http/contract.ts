import {
  type ErrorDoc,
  type HeaderDoc,
  type Operation,
  RETRY_AFTER,
  type ResponseDoc,
} from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';

/** Of the text of a search. */
export const MAX_QUERY_LENGTH = 256;

/** RFC 5861 defines the `stale-*` directives. */
export const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400';

function header(description: string, required?: boolean): HeaderDoc {
  return { description, schema: { type: 'string' }, required };
}

/** Request headers that every cacheable operation honours. */
const CONDITIONAL_HEADERS: Record<string, HeaderDoc> = {
  'If-None-Match': header('Entity tags of copies that the client has, or `*`.'),
  'If-Modified-Since': header('Applies only without `If-None-Match` and with a valid HTTP-date.'),
  'Accept-Encoding': header('Supported codings: `br`, `gzip` and `identity`.'),
};

const CACHE_HEADERS: Record<string, HeaderDoc> = {
  ETag: header('Strong entity tag. It differs by content coding.', true),
  'Last-Modified': header(
    'Time when the snapshot was built; for `/registry.json`, time when the file was first fetched.',
    true,
  ),
  'Cache-Control': {
    description: 'How long caches may reuse the response.',
    schema: { type: 'string', example: CACHE_CONTROL },
    required: true,
  },
  Vary: header('Always `Accept-Encoding`.', true),
};

/** Headers of every cacheable response. */
const REPRESENTATION_HEADERS: Record<string, HeaderDoc> = {
  ...CACHE_HEADERS,
  'Content-Encoding': header('`br` or `gzip` if the client accepts it. Small bodies are not compressed.'),
};

const NOT_MODIFIED: ResponseDoc = { description: 'The client has the current version.', headers: CACHE_HEADERS };

interface Cacheable extends Pick<Operation, 'id' | 'path' | 'summary' | 'description' | 'params' | 'query' | 'errors'> {
  /** Of status 200. */
  response: ResponseDoc;
}

/** Declares a public GET whose responses can be cached. */
export function defineCacheable<const Op extends Cacheable>(declared: Op): Operation & Omit<Op, 'response'> {
  const { response, description, ...operation }: Cacheable = declared;
  const cacheable: Operation = {
    ...operation,
    description: [description, 'Needs no credentials.'].filter(Boolean).join(' '),
    method: 'get',
    tag: 'Registry',
    security: 'public',
    requestHeaders: CONDITIONAL_HEADERS,
    responses: {
      200: { ...response, headers: { ...REPRESENTATION_HEADERS, ...response.headers } },
      304: NOT_MODIFIED,
    },
  };
  return cacheable as Operation & Omit<Op, 'response'>;
}

/** The text of a search that must be given. */
export function searchText(description: string, example: string) {
  return z
    .string('must be given once')
    .max(MAX_QUERY_LENGTH, `must have at most ${MAX_QUERY_LENGTH} characters`)
    .transform((text) => text.trim())
    .refine((text) => text.length > 0, 'must not be empty')
    .meta({ type: 'string', minLength: 1, maxLength: MAX_QUERY_LENGTH, description, example });
}

/** The error of operations that may stream a body. */
export const OVERLOADED: ErrorDoc = {
  status: 503,
  description:
    'Too many large responses are being streamed: lists with a filter, `sort` or `fields` of more than 1,000 skills, and without compression the list and the well-known index of more than 10,000 skills, and raw files of more than 1 MiB.',
  example: { error: 'overloaded', message: 'Too many large responses are being sent; try again' },
  headers: RETRY_AFTER,
};
