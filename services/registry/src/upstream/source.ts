import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the registry file comes from. */
export interface Source {
  /** Names this source in keys and files: snapshots are kept per source. */
  key: string;
  /** For everyone to read: no credentials, no query, no folders of this machine. */
  label: string;
  location: { file: string } | { url: URL };
}

/** The file that ships with the service, which is served while nothing better has been seen. */
export const SHIPPED_SOURCE: Source = {
  key: 'shipped',
  label: 'shipped',
  location: { file: fileURLToPath(new URL('../../registry.json', import.meta.url)) },
};

/** @throws TypeError when `text` is no http, https or file URL */
export function parseSource(text: string): Source {
  const url = new URL(text);
  const key = hash('sha256', text).slice(0, 16);
  if (url.protocol === 'file:') {
    const file = fileURLToPath(url);
    return { key, label: `file:${basename(file)}`, location: { file } };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new TypeError('not an http, https or file URL');
  return { key, label: `${url.origin}${url.pathname}`, location: { url } };
}
