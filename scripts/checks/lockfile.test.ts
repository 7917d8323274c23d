import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { LOCK_FILE, LOCK_FILES, type LockedPackages, missingPlatforms } from './lockfile.ts';
import { readSourceFiles, WORKSPACES } from './source-files.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const packagesOf = (file: string): LockedPackages => JSON.parse(readFileSync(file, 'utf8')).packages;
const packages = packagesOf(LOCK_FILE);
/** What `npm start`, `fleet` and `fleet-worker` run. */
const RUNS =
  /^((shared|access|gateway|services\/\w+|clients\/\w+)\/src|clients\/web\/scripts|scripts\/(launcher|local))\/|^scripts\/\w+\./;
const NOT_RUN = /\.test\.ts$|\/testing\/|\/make-frequent-passwords\.ts$/;
/** The package of an import that is not only of types; paths and parts of Node are none. */
const PACKAGE_IMPORTS =
  /(?:^(?:import|export)\b(?! type)[^;'`]*\bfrom |^import |\b(?:import|require)(?:\.\w+)*\()'((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/[^']*)?'/gm;

test.each(LOCK_FILES)(
  '%s has every platform, which npm ci needs (to repair it: node scripts/checks/lockfile.ts)',
  (file) => expect(Object.keys(missingPlatforms(packagesOf(file)))).toEqual([]),
);

test.each(['', ...WORKSPACES])(
  'the lock file has the dependencies of "%s", and no others (to repair it: npm install)',
  (workspace) => {
    const pick = ({ dependencies = {}, optionalDependencies = {}, devDependencies = {} }) => ({
      dependencies,
      optionalDependencies,
      devDependencies,
    });
    expect(pick(packages[workspace] ?? {})).toEqual(
      pick(read(workspace === '' ? 'package.json' : `${workspace}/package.json`)),
    );
  },
);

test('what runs imports only packages that `npm start` installs', () => {
  const files = readSourceFiles().filter(({ path }) => RUNS.test(path) && !NOT_RUN.test(path));
  expect(files.length).toBeGreaterThan(100);
  const leftOut = files.flatMap(({ path, text }) => {
    const workspace = WORKSPACES.find((folder) => path.startsWith(`${folder}/`));
    return [...text.matchAll(PACKAGE_IMPORTS)].flatMap(([, name = '']) => {
      const found = packages[`${workspace}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
      return found && !found.dev && !found.peer ? [] : [`${path} imports ${name}`];
    });
  });
  expect(leftOut).toEqual([]);
});

test.each(LOCK_FILES)('%s has no download URLs', (file) => {
  const addresses = Object.entries(packagesOf(file)).filter(([, entry]) => 'resolved' in entry && !('link' in entry));
  expect(addresses).toEqual([]);
});

test('finds a platform that is not locked, but not one that a parent folder has', () => {
  const some: LockedPackages = {
    'node_modules/a': { optionalDependencies: { 'a-linux-x64-musl': '1.2.3', 'a-darwin-arm64': '1.2.3' } },
    'node_modules/b/node_modules/a': { optionalDependencies: { 'a-darwin-arm64': '1.2.3' } },
    'node_modules/a-darwin-arm64': { version: '1.2.3' },
  };
  expect(missingPlatforms(some)).toEqual({
    'node_modules/a-linux-x64-musl': { version: '1.2.3', cpu: ['x64'], libc: ['musl'], optional: true, os: ['linux'] },
  });
});
