import { parseEtags } from '@agent-fleet/shared/http/etag';

/** The entity tags of an `If-Match`, one of which must be current; empty when all match (RFC 9110 section 13.1.1). */
export function ifMatch(header: string | undefined): string[] {
  if (header === undefined) return [];
  const tags = parseEtags(header);
  if (tags === '*') return [];
  // A header without a valid tag matches nothing.
  return tags.length > 0 ? tags : ['none'];
}
