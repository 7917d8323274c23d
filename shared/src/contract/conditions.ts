import { type HttpError, httpError } from '../http/errors.ts';
import { etagOf, parseEtags } from '../http/etag.ts';
import type { ErrorDoc, HeaderDoc } from './operation.ts';

export const ETAG_HEADER: Record<string, HeaderDoc> = {
  ETag: { description: 'Strong entity tag of the record.', schema: { type: 'string' }, required: true },
};
export const IF_NONE_MATCH: Record<string, HeaderDoc> = {
  'If-None-Match': {
    description: 'Entity tags of copies that the client has. The response is 304 if one is current.',
    schema: { type: 'string' },
  },
};
export const NOT_MODIFIED = { description: 'The client has the current record.', headers: ETAG_HEADER };

export const IF_MATCH: Record<string, HeaderDoc> = {
  'If-Match': { description: 'Entity tags. The change is made only if one is current.', schema: { type: 'string' } },
};
export const PRECONDITION_FAILED: ErrorDoc = {
  status: 412,
  description: 'The record has changed since the client read it.',
  example: { error: 'precondition_failed', message: 'The record has changed; read it again' },
};

export function preconditionFailed(): HttpError {
  return httpError('precondition_failed', 'The record has changed; read it again');
}

/** The entity tags of an `If-Match`, one of which must be current; empty when all match (RFC 9110 section 13.1.1). */
export function ifMatch(header: string | undefined): string[] {
  if (header === undefined) return [];
  const tags = parseEtags(header);
  if (tags === '*') return [];
  // A header without a valid tag matches nothing.
  return tags.length > 0 ? tags : ['none'];
}

/** Whether one of `tags`, as returned by `ifMatch`, is that of the record. */
export function isMatch(tags: readonly string[], record: string): boolean {
  return tags.length === 0 || tags.includes(etagOf(record));
}
