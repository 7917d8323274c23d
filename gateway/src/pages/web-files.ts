import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { policyOf } from './policy.ts';
import { withPrefix } from './prefix.ts';
import type { StaticFile } from './static-file.ts';

/** The documents of the two applications: all their pages are client routes. */
export const SHELLS = { catalogue: 'catalogue.html', console: 'console.html' };
const ICON = 'favicon.svg';
const ASSETS = 'assets';
/** The clients of this version. */
const DOWNLOADS = 'download';

/** The names of assets have a hash of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Each gateway process keeps all files in memory; the pages have less than 1 MiB. */
const MAX_TOTAL_MIB = 16;

const CODED_SUFFIXES = ['.br', '.gz'];
const TRUSTED_TYPES = ["require-trusted-types-for 'script'", "trusted-types 'none'"];

/** Reads `WEB_ROOT`. @throws Error for a folder without pages, or with more than 16 MiB */
export function parseWebRoot(path: string): string {
  const root = resolve(path);
  const names = namesIn(root);
  const missing = Object.values(SHELLS).filter((shell) => !names.includes(shell));
  if (missing.length > 0) throw new Error(`must be a folder of built pages, with ${missing.join(' and ')}`);
  const sizes = names.flatMap((name) => ['', ...CODED_SUFFIXES].map((suffix) => sizeOf(join(root, name + suffix))));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > MAX_TOTAL_MIB * 1024 ** 2) throw new Error(`must be a folder of pages, at most ${MAX_TOTAL_MIB} MiB`);
  return root;
}

/** All files of the pages, by their path below `root`; see `withPrefix`. */
export function readWebFiles(root: string, prefix: string): Map<string, StaticFile> {
  const files = namesIn(root).map((name) => [name, readFile(root, name)] as const);
  return new Map(files.map(([name, file]) => [name, file.policy && prefix ? addPrefix(file, prefix) : file]));
}

function addPrefix(page: StaticFile, prefix: string): StaticFile {
  const body = Buffer.from(withPrefix(String(page.body), prefix));
  const [br, gzip] = [page.br && brotliCompressSync(body), page.gzip && gzipSync(body)];
  return { ...page, body, br, gzip, policy: policyOfPage(body) };
}

/** The files that are served; other ones in the folder are not. */
function namesIn(root: string): string[] {
  const assets = list(join(root, ASSETS)).map((name) => `${ASSETS}/${name}`);
  const own = [...Object.values(SHELLS), ICON].filter((name) => existsSync(join(root, name)));
  const downloads = list(join(root, DOWNLOADS)).map((name) => `${DOWNLOADS}/${name}`);
  return [...own, ...assets.filter((name) => !CODED_SUFFIXES.includes(extname(name))), ...downloads];
}

function list(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

function readFile(root: string, name: string): StaticFile {
  const path = join(root, name);
  const body = readFileSync(path);
  const extension = name.startsWith(`${DOWNLOADS}/`) ? '.bin' : extname(name);
  return {
    extension,
    body,
    br: readIfExists(`${path}.br`),
    gzip: readIfExists(`${path}.gz`),
    cacheControl: name.startsWith(`${ASSETS}/`) ? IMMUTABLE : undefined,
    policy: extension === '.html' ? policyOfPage(body) : undefined,
  };
}

function policyOfPage(body: Buffer): string {
  return policyOf(String(body), { styles: "'self'", more: TRUSTED_TYPES });
}

function readIfExists(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
