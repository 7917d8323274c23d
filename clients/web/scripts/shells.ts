import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const HTML = join(import.meta.dirname, '../src/shells');

/** The documents that the gateway serves: that of the catalogue at `/`, `/skills/…` and `/guide…`, and the console. */
export const SHELLS = {
  catalogue: 'Skills for AI agents · Agent Fleet',
  console: 'Console · Agent Fleet',
} as const;

export type ShellName = keyof typeof SHELLS;

export interface ShellParts {
  name: ShellName;
  style: string;
  /** A script that starts the first requests of the page before its modules have arrived. */
  early: string;
  /** File names in `assets`; the first one is the entry, the others are what it imports. */
  modules: readonly string[];
  /** The file name of the module that parses Markdown, for the early script. */
  parser: string;
}

/**
 * Style and early script are inline, so that the page is painted after one round trip. The modules are requested before
 * the early script runs: it may have more requests than a browser sends at a time to one host over HTTP/1.1 (six).
 */
export function toShell({ name, style, early, parser, modules: [entry = '', ...chunks] }: ShellParts): string {
  const preloads = chunks.map((chunk) => `<link rel="modulepreload" href="/assets/${chunk}">`);
  return [
    '<!DOCTYPE html>',
    `<html lang="en" data-prefix="" data-parser="${parser}">`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${SHELLS[name]}</title>`,
    '<link rel="icon" href="/favicon.svg" type="image/svg+xml">',
    `<style>${style.trim()}</style>`,
    `<script type="module" src="/assets/${entry}"></script>`,
    ...preloads,
    `<script>${early.trim()}</script>`,
    '</head>',
    '<body>',
    `<div id="app">${readFileSync(join(HTML, `${name}.html`), 'utf8').trim()}</div>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
