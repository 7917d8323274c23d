import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '@agent-fleet/scripts/services';
import { packageOf } from './packages.ts';

const run = promisify(execFile);
const SDK = join(ROOT, 'clients/sdk');
const RUN_IN_BROWSER = join(ROOT, 'e2e/clients/run-in-browser.ts');

/** Builds the SDK, packs it as npm would publish it, and installs it in `folder`, without a network. */
export async function installPackage(folder: string): Promise<void> {
  const [built, app] = [join(folder, 'built'), join(folder, 'app')];
  await run(process.execPath, [join(SDK, 'scripts/build.ts'), built]);
  const openapiFetch = packageOf('openapi-fetch', SDK);
  const helpers = packageOf('openapi-typescript-helpers', openapiFetch);
  const packages = [built, openapiFetch, helpers, packageOf('eventsource-parser', SDK)];
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

/** Runs a module with the installed SDK as run-in-browser.ts does. Resolves with what it exports. */
export async function runInBrowser(folder: string, program: string): Promise<Record<string, unknown>> {
  const app = join(folder, 'app');
  writeFileSync(join(app, 'program.js'), program);
  const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const { stdout } = await run(process.execPath, [...options, RUN_IN_BROWSER, app], { timeout: 60_000 });
  return JSON.parse(stdout) as Record<string, unknown>;
}
