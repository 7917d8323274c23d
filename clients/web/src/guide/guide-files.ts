import { fetchEarly } from '../api/early-responses.ts';
import { FLEET_URL } from '../api/prefix.ts';
import { toAddress } from '../markdown/addresses.ts';
import { toAnchor } from '../markdown/inlines.ts';
import { parseMarkdown } from '../markdown/parse-markdown.ts';
import { type GuideText, toGuideText } from './guide-text.ts';

/** Names in `assets` of the pages and pictures of the guide, by their paths in the repository: the build sets it. */
declare const GUIDE_FILES: Record<string, string>;

export const INDEX = 'docs/README.md';
export const PATHS = Object.keys(GUIDE_FILES).filter((path) => path.endsWith('.md'));

const nameOf = (path: string) => /([^/]+?)(?:\/README)?\.md$/.exec(path)?.[1];
export const hrefOf = (path: string) => (path === INDEX ? '/guide' : `/guide/${nameOf(path)}`);
export const pathOf = (name: string) => (name ? PATHS.find((path) => nameOf(path) === name) : INDEX);

export const assetOf = (path: string) => `/assets/${GUIDE_FILES[path]}`;

/** Reads a page, with the address of this fleet in its examples. @throws Error if it is unavailable */
export async function loadPage(path: string, signal?: AbortSignal): Promise<GuideText> {
  const response = await fetchEarly(FLEET_URL + assetOf(path), { method: 'GET', signal });
  if (!response.ok) throw new Error(`The file is unavailable (${response.status})`);
  const text = await response.text();
  const own = text.replaceAll('http://localhost:8080', FLEET_URL);
  return toGuideText(path, (await parseMarkdown(own, linksFrom(path))).blocks);
}

/** Where links of a page lead: to pages and pictures of the guide. Other files of the repository are not served. */
export function linksFrom(path: string): (url: string) => string | undefined {
  return (url) => {
    if (/^[a-z]+:/i.test(url)) return toAddress(url, undefined);
    const { pathname, hash } = new URL(url, `file:///${path}`);
    const target = pathname.slice(1);
    if (PATHS.includes(target)) return hrefOf(target) + (hash && toAnchor(hash.slice(1)));
    return target in GUIDE_FILES ? FLEET_URL + assetOf(target) : undefined;
  };
}
