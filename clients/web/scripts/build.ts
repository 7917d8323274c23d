import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { SHELLS, type ShellName, toShell } from './shells.ts';

/**
 * Builds the pages, and the clients that are served beside them: `node build.ts [folder]`. Without a folder, they go to
 * `.data/web/<digest of the sources>` unless they are there, and its path is printed.
 */

const ROOT = resolve(import.meta.dirname, '../../..');
const PACKAGE = 'clients/web';
const DOWNLOADS = 'scripts/packages/downloads.ts';
const INDEX = 'docs/README.md';
const LISTED = readFileSync(join(ROOT, INDEX), 'utf8').matchAll(/\]\(([\w./-]+\.(?:md|svg))\)/g);
/** The pages of the guide and their pictures. */
const GUIDE = [...new Set([INDEX, ...Array.from(LISTED, ([, url = '']) => join('docs', url))])];
/** What all is built from. The lock file stands for the packages. */
const SOURCES = [
  'package-lock.json',
  `${PACKAGE}/package.json`,
  `${PACKAGE}/scripts`,
  `${PACKAGE}/src`,
  'clients/sdk/src',
  ...['clients/cli', 'clients/worker/src', 'clients/skills/src', 'clients/python/src', 'scripts/packages'],
  ...GUIDE,
];
const PARSER = `${PACKAGE}/src/markdown/parser.ts`;
const KEPT_BUILDS = 3;
/** Smaller files are not compressed: headers would cost what it saves. */
const MIN_COMPRESSED_BYTES = 512;

interface Bundle {
  metafile: Metafile;
  /** Of a bundle that is not written. */
  outputFiles?: { path: string; text: string }[];
}

/** Half the time of the best quality, for 2 % more: `npm start` builds beside the start of the services. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
const [given] = process.argv.slice(2);
const folder = given === undefined ? webRoot() : resolve(given);
if (given !== undefined || !isBuilt(folder)) await buildInto(folder);
if (given === undefined) {
  removeOldBuilds(folder);
  console.log(folder);
}

/** The folder of the pages for the present sources, whether they have been built or not. */
function webRoot(): string {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(sourcesIn).sort()) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  return join(ROOT, '.data/web', hash.digest('hex').slice(0, 16));
}

function sourcesIn(path: string): string[] {
  if (/\.\w+$/.test(path)) return [path];
  return filesIn(join(ROOT, path)).map((file) => file.slice(ROOT.length + 1));
}

/** Writes into a temporary folder first: a crash leaves no half of a build. */
async function buildInto(target: string): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const temporary = mkdtempSync(`${target}.`);
  try {
    const downloads = promisify(execFile)(process.execPath, [join(ROOT, DOWNLOADS), join(temporary, 'download')]);
    await Promise.all([writePages(temporary), downloads]);
    replaceFolder(temporary, target);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

async function writePages(target: string): Promise<void> {
  const names = Object.keys(SHELLS) as ShellName[];
  // Written by their names with a hash, which the pages know.
  const guide = await bundle({
    entryPoints: GUIDE,
    outdir: join(target, 'assets'),
    entryNames: '[name]-[hash]',
    loader: { '.md': 'copy', '.svg': 'copy' },
  });
  const assets = Object.entries(guide.metafile.outputs).map(([path, { entryPoint }]) => [entryPoint, basename(path)]);
  const define = { GUIDE_FILES: JSON.stringify(Object.fromEntries(assets)) };
  const [scripts, early] = await Promise.all([
    bundle({
      entryPoints: names.map((name) => join(PACKAGE, `src/${name}.tsx`)),
      outdir: join(target, 'assets'),
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      format: 'esm',
      splitting: true,
      jsx: 'automatic',
      jsxImportSource: 'preact',
      define,
    }),
    bundle({
      entryPoints: names.map((name) => join(PACKAGE, `src/early/${name}.ts`)),
      outdir: join(target, 'assets'),
      write: false,
      define,
      format: 'iife',
    }),
  ]);
  const [parser = ''] = modulesOf(scripts.metafile, PARSER);
  for (const name of names) {
    const files = modulesOf(scripts.metafile, join(PACKAGE, `src/${name}.tsx`));
    const styles = join(target, 'assets', styleOf(scripts.metafile, join(PACKAGE, `src/${name}.tsx`)));
    writeFileSync(
      join(target, `${name}.html`),
      toShell({
        name,
        style: readFileSync(styles, 'utf8'),
        early: textOf(early, `${name}.js`),
        modules: files,
        parser,
      }),
    );
    rmSync(styles);
  }
  writeFileSync(join(target, 'favicon.svg'), readFileSync(join(ROOT, PACKAGE, 'src/favicon.svg')));
  const documents = [...names.map((name) => `${name}.html`), 'favicon.svg'].map((name) => join(target, name));
  for (const file of [...documents, ...filesIn(join(target, 'assets'))]) compress(file);
}

function textOf({ outputFiles = [] }: Bundle, name: string): string {
  return outputFiles.find(({ path }) => basename(path) === name)?.text ?? '';
}

function bundle(options: BuildOptions): Promise<Bundle> {
  return build({
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    ...options,
  }) as Promise<Bundle>;
}

/** The file names of an entry and of all chunks that it needs before it runs; the entry first. */
function modulesOf({ outputs }: Metafile, entry: string): string[] {
  const first = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entry) ?? '';
  const found = new Set([first]);
  for (const path of found) {
    for (const { path: needed, kind } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') found.add(needed);
    }
  }
  return [...found].map((path) => basename(path));
}

/** The file name of what the modules of an entry import as style. */
function styleOf({ outputs }: Metafile, entry: string): string {
  const found = Object.values(outputs).find(({ entryPoint }) => entryPoint === entry);
  return basename(found?.cssBundle ?? '');
}

function compress(file: string): void {
  const bytes = readFileSync(file);
  if (bytes.length < MIN_COMPRESSED_BYTES) return;
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, BROTLI));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}

function filesIn(path: string): string[] {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

function isBuilt(path: string): boolean {
  return statSync(join(path, 'console.html'), { throwIfNoEntry: false }) !== undefined;
}

/** Another process may have built the same pages meanwhile: those stay. */
function replaceFolder(temporary: string, target: string): void {
  if (given !== undefined) rmSync(target, { recursive: true, force: true });
  try {
    renameSync(temporary, target);
  } catch (error) {
    if (!isBuilt(target)) throw error;
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Keeps the newest builds: a running gateway has read its own. */
function removeOldBuilds(newest: string): void {
  const parent = dirname(newest);
  const others = readdirSync(parent)
    .map((name) => join(parent, name))
    .filter((path) => path !== newest)
    .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at);
  // A temporary folder that is young belongs to a build that runs.
  const isOld = ({ at }: { at: number }) => Date.now() - at > 600_000;
  for (const { path } of others.slice(KEPT_BUILDS - 1).filter(isOld)) rmSync(path, { recursive: true, force: true });
}
