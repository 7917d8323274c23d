import { splitList } from '@agent-fleet/shared/comma-list';

/**
 * Reads `CORS_ORIGINS`: a comma-separated list of origins as browsers write them (`scheme://host[:port]`, without a
 * default port), or `*` alone. @throws Error for anything else
 */
export function parseCorsOrigins(list: string): readonly string[] {
  const origins = splitList(list);
  if (origins.length === 1 && origins[0] === '*') return origins;
  for (const origin of origins) {
    if (!isOrigin(origin))
      throw new Error('must be a comma-separated list of origins (scheme://host[:port]), or * alone');
  }
  return origins;
}

/** Excludes `null`, the origin of sandboxed pages and local files, which anybody can use. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) && URL.parse(text)?.origin === text;
}
