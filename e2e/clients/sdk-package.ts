import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, SourceTextModule } from 'node:vm';
import { ROOT } from '@agent-fleet/scripts/services';

const run = promisify(execFile);
const SDK = join(ROOT, 'clients/sdk');

/** Builds the SDK, packs it as npm would publish it, and installs it in `folder`, without a network. */
export async function installPackage(folder: string): Promise<void> {
  const [built, app] = [join(folder, 'built'), join(folder, 'app')];
  await run(process.execPath, [join(SDK, 'scripts/build.ts'), built]);
  const openapiFetch = packageOf('openapi-fetch', SDK);
  const packages = [built, openapiFetch, packageOf('openapi-typescript-helpers', openapiFetch)];
  await run('npm', ['pack', '--silent', ...packages, '--pack-destination', folder]);
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{"type":"module"}');
  const options = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...options, ...tarballs.map((name) => join(folder, name))], { cwd: app });
}

/** Runs a program in the folder by the Node of the system, which may be an older one. Resolves with its output. */
export async function runBySystemNode(folder: string, program: string, env: NodeJS.ProcessEnv): Promise<string> {
  const app = join(folder, 'app');
  const file = `${randomUUID()}.js`;
  writeFileSync(join(app, file), program);
  const paths = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  const PATH = [...paths, dirname(process.execPath)].join(delimiter);
  const { stdout } = await run('node', [file], { cwd: app, env: { PATH, ...env }, timeout: 60_000 });
  return stdout;
}

/** What a page has of a browser's globals. */
const BROWSER_GLOBALS = [
  ...['AbortController', 'AbortSignal', 'FormData', 'Headers', 'ReadableStream', 'Request', 'Response', 'TextDecoder'],
  ...['URL', 'URLSearchParams', 'clearTimeout', 'crypto', 'fetch', 'performance', 'setTimeout', 'console'],
];

/**
 * Runs a module with the installed SDK where there is nothing but a browser's globals: no `process`, no `Buffer`, and
 * no modules but those of the packages. Resolves with what it exports. Needs `--experimental-vm-modules`.
 */
export async function runInBrowser(folder: string, program: string): Promise<Record<string, unknown>> {
  const globals = Object.fromEntries(
    BROWSER_GLOBALS.map((name) => [name, globalThis[name as keyof typeof globalThis]]),
  );
  const context = createContext(globals);
  const modules = new Map<string, SourceTextModule>();
  const load = (path: string, text = readFileSync(path, 'utf8')) => {
    const known = modules.get(path) ?? new SourceTextModule(text, { context, identifier: path });
    modules.set(path, known);
    return known;
  };
  const link = (specifier: string, { identifier }: { identifier: string }) => {
    if (specifier.startsWith('.')) return load(join(dirname(identifier), specifier));
    if (specifier.startsWith('node:')) throw new Error(`${identifier} imports ${specifier}`);
    return load(entryOf(packageOf(specifier, join(folder, 'app'))));
  };
  const main = load(join(folder, 'app/program.js'), program);
  await main.link(link as Parameters<SourceTextModule['link']>[0]);
  await main.evaluate();
  return { ...main.namespace } as Record<string, unknown>;
}

/** The folder of an installed package, as `from` finds it. */
function packageOf(name: string, from: string): string {
  const paths = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  const folder = paths.map((path) => join(path, name)).find((path) => existsSync(join(path, 'package.json')));
  if (folder === undefined) throw new Error(`${name} is not installed`);
  return realpathSync(folder);
}

/** The ES module that a package exports. */
function entryOf(folder: string): string {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { import: module, default: file } = exports['.'] ?? exports;
  return join(folder, module ?? file);
}
