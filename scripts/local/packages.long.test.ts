import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../services.ts';
import { Launched } from '../testing/launched.ts';
import { type Packages, planInstallation, readPackages } from './packages.mjs';
import { freePort } from './ports.ts';

const INSTALL_TIMEOUT_MS = 300_000;
/** The promise is 450 with the history, which takes 10. */
const MAX_CLONE_MEGABYTES = 440;
const MEGABYTE = 1024 ** 2;

let clone: string;
let launched: Launched;

beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), 'fleet-clone-'));
  const files = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']).split('\0');
  for (const file of files.filter((path) => path && existsSync(join(ROOT, path)))) {
    cpSync(join(ROOT, file), join(clone, file));
  }
  launched = new Launched(join(clone, '.data'), await freePort(), { NODE_COMPILE_CACHE: undefined }, clone);
  await launched.untilPrinted('Installed in', INSTALL_TIMEOUT_MS);
  await launched.untilPrinted('the data stay');
}, 2 * INSTALL_TIMEOUT_MS);

afterAll(async () => {
  launched?.signal('SIGTERM');
  await launched?.ended();
  rmSync(clone, { recursive: true, force: true });
});

test('npm start in a new clone says first what it installs, and how much', () => {
  const said = /^Installing (\d+) packages to run the fleet \(about (\d+) MB on disk, up to (\d+) MB to download\) …\n/;
  const [, packages, disk, download] = (said.exec(launched.printed) ?? []).map(Number);
  const { installed } = readPackages(clone);
  expect(packages).toBe(packagesIn(installed).length);
  const onDisk = diskUsage(join(clone, 'node_modules'), '--exclude=.cache');
  expect(Math.abs(Number(disk) - onDisk)).toBeLessThan(0.05 * onDisk);
  const downloaded = downloadSize(installed);
  expect(download).toBeGreaterThan(downloaded);
  expect(download).toBeLessThan(1.1 * downloaded);
});

test('a new clone takes at most 450 MB once it runs', () => {
  expect(diskUsage(clone)).toBeLessThan(MAX_CLONE_MEGABYTES);
});

test.each(['/console', '/', '/docs', '/redoc', '/redoc/redoc.standalone.js', '/openapi.json'])(
  'GET %s is 200 without the packages of tests',
  async (path) => {
    const response = await fetch(launched.url + path);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
  },
);

test('npm start then has nothing to install, and npm test adds the rest without taking away what runs', () => {
  expect(planInstallation({ ...readPackages(clone), toRun: true })).toBeUndefined();
  expect(planInstallation({ ...readPackages(clone), toRun: false })?.args.slice(0, 2)).toEqual([
    'install',
    '--no-save',
  ]);
});

function packagesIn(installed: Packages) {
  return Object.entries(installed).filter(([path, { link }]) => path.includes('node_modules/') && !link);
}

/** In MB. */
function diskUsage(folder: string, ...args: string[]): number {
  return Number.parseInt(run('du', ['-sk', ...args, folder]), 10) / 1024;
}

/** The size of the packed packages in MB, from npm's cache, in which each is a file named by its digest. */
function downloadSize(installed: Packages): number {
  const cache = run('npm', ['config', 'get', 'cache']).trim();
  const sizes = packagesIn(installed).map(([, { integrity = '' }]) => {
    const digest = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
    const file = join(cache, '_cacache/content-v2/sha512', digest.slice(0, 2), digest.slice(2, 4), digest.slice(4));
    return statSync(file).size;
  });
  return sizes.reduce((sum, size) => sum + size, 0) / MEGABYTE;
}

function run(command: string, args: string[]): string {
  return execFileSync(command, args, { cwd: ROOT, encoding: 'utf8' });
}
