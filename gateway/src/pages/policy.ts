import { hash } from 'node:crypto';

interface Additions {
  /** Sources of styles besides those of the page. */
  styles?: string;
  /** Further directives. */
  more?: readonly string[];
}

/** Nothing from other origins, and of inline scripts and styles only those of `html`. */
export function policyOf(html: string, { styles = '', more = [] }: Additions): string {
  const scripts = hashesOf(html, /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g);
  const ownStyles = hashesOf(html, /<style[^>]*>([\s\S]*?)<\/style>/g);
  const directives = [
    "default-src 'none'",
    sources("script-src 'self'", scripts),
    "connect-src 'self'",
    "img-src 'self' data:",
    sources(`style-src ${styles}`.trim(), ownStyles),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...more,
  ];
  return directives.join('; ');
}

function sources(directive: string, hashes: readonly string[]): string {
  return [directive, ...hashes].join(' ');
}

function hashesOf(html: string, element: RegExp): string[] {
  return [...html.matchAll(element)].map(([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`);
}
