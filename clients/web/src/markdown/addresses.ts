import { safeLine } from '../text/safe-text.ts';

const PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);
/** What of GitHub and GitLab precedes the path in a repository. */
const REPOSITORY_ROOT = /^https:\/\/[^/]+\/.+?\/(?:-\/)?(?:blob|tree|raw)\/[^/]+(?=\/)/;
const MAX_SHOWN = 200;

/**
 * Where a link leads, or undefined when that is not safe or cannot be known: anything but http, https and mailto, user
 * names in addresses, and relative ones without a base.
 */
export function toAddress(url: string, baseUrl: string | undefined): string | undefined {
  if (url === '') return undefined;
  const root = url.startsWith('/') && !url.startsWith('//') && baseUrl && REPOSITORY_ROOT.exec(baseUrl)?.[0];
  const path = root ? root + url : url;
  // Browsers of before 2024 have no `URL.parse`.
  if (!URL.canParse(path, baseUrl)) return undefined;
  const address = new URL(path, baseUrl);
  if (!PROTOCOLS.has(address.protocol)) return undefined;
  return address.username || address.password ? undefined : address.href;
}

/** An address as a text. */
export function showAddress(url: string): string {
  const text = safeLine(url.length > MAX_SHOWN ? url.slice(0, MAX_SHOWN) : url);
  return url.length > MAX_SHOWN ? `${text}…` : text;
}
