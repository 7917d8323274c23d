import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A configured source. */
export interface Source {
  /** Names this source in keys and files: snapshots are kept per source. */
  key: string;
  /** Public: without credentials, query and local folders. */
  label: string;
  /**
   * A file whose path ends with a slash is a folder of skills. By default the operator has named a URL: then it may
   * have an internal address.
   */
  location: { file: string } | { url: URL; mayBeInternal?: boolean };
}

export const MAX_SOURCES = 1_000;

/** The skills that ship with the service, served while there is no other snapshot. */
export const SHIPPED_SOURCE = {
  key: 'shipped',
  label: 'shipped',
  location: { file: fileURLToPath(new URL('../../skills/', import.meta.url)) },
};

/** The message has the number, but no address. */
export class TooManySources extends TypeError {
  constructor(count: number) {
    super(
      `${count.toLocaleString('en-US')} sources are given, at most ${MAX_SOURCES.toLocaleString('en-US')} are allowed`,
    );
  }
}

/** @throws TooManySources */
export function requireFewSources(count: number): void {
  if (count > MAX_SOURCES) throw new TooManySources(count);
}

/**
 * One to a thousand sources, separated by commas or white space. A second source with the same label gets the suffix
 * `#2`.
 * @throws TypeError when one is not an http, https or file URL, is a duplicate, or when there are none
 * @throws TooManySources
 */
export function parseSources(text: string): Source[] {
  const urls = text.split(/[\s,]+/).filter((part) => part !== '');
  if (urls.length === 0) throw new TypeError('no source');
  requireFewSources(urls.length);
  const sources = urls.map(parseSource);
  const locations = new Set(sources.map(({ location }) => ('file' in location ? location.file : location.url.href)));
  if (locations.size < sources.length) throw new TypeError('duplicate source');
  return withDistinctLabels(sources);
}

/** @throws TypeError when `text` is not an http, https or file URL */
export function parseSource(text: string): Source {
  const url = new URL(text);
  const key = hash('sha256', text).slice(0, 16);
  if (url.protocol === 'file:') {
    const file = fileURLToPath(url);
    return { key, label: `file:${basename(file)}`, location: { file } };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new TypeError('not an http, https or file URL');
  if (!isDecodable(url.username + url.password))
    throw new TypeError('user name or password is not valid percent-encoding');
  return { key, label: `${url.origin}${url.pathname}`, location: { url } };
}

/** The public URL of a source by its label; undefined for a local file. */
export function toAddress(label: string): string | undefined {
  return /^https?:/.test(label) ? label.replace(/#\d+$/, '') : undefined;
}

/** Names a list of sources: the key of the only one, or 16 hexadecimal digits over the keys of all in their order. */
export function sourcesKey(sources: readonly Source[]): string {
  const keys = sources.map(({ key }) => key);
  return keys.length === 1 ? String(keys[0]) : hash('sha256', keys.join('\n')).slice(0, 16);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A second source with the same label gets the suffix `#2`. */
export function withDistinctLabels(sources: readonly Source[]): Source[] {
  const seen = new Set<string>();
  return sources.map((source) => {
    let { label } = source;
    for (let times = 2; seen.has(label); times++) label = `${source.label}#${times}`;
    seen.add(label);
    return { ...source, label };
  });
}
