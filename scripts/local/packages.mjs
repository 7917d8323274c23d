// Plain JavaScript: scripts/run.mjs uses it before there is a Node that runs TypeScript.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** No source here imports peers of its packages, such as the React of ReDoc, whose bundle has its own. */
const ALWAYS = ['--ignore-scripts', '--omit=peer'];

/** In MB, on Linux with x64; packages.long.test.ts compares them with what npm installs. */
const TO_RUN = { disk: 390, download: 90 };
const ALL_DISK = 695;

/**
 * @typedef {object} LockedPackage an entry of package-lock.json, or of npm's own record in node_modules
 * @property {string} [version]
 * @property {string} [integrity] its digest
 * @property {boolean} [link] a workspace
 * @property {boolean} [dev]
 * @property {boolean} [peer]
 * @property {boolean} [optional]
 * @property {string | string[]} [os]
 * @property {string | string[]} [cpu]
 * @property {string | string[]} [libc]
 * @property {Record<string, string>} [optionalDependencies]
 */
/** @typedef {Record<string, LockedPackage>} Packages by their folders */
/** @typedef {{ what: string, args: string[] }} Installation `what` tells the user, `args` are for npm */

/**
 * @param {string} root
 * @returns {{ locked: Packages, installed: Packages }}
 */
export function readPackages(root) {
  const read = (/** @type {string} */ file) => {
    try {
      return JSON.parse(readFileSync(join(root, file), 'utf8')).packages ?? {};
    } catch {
      return {};
    }
  };
  return { locked: read('package-lock.json'), installed: read('node_modules/.package-lock.json') };
}

/**
 * What is to be installed to run the fleet, or for all else too; undefined if it is there.
 * @param {{ locked: Packages, installed: Packages, toRun: boolean }} options
 * @returns {Installation | undefined}
 */
export function planInstallation({ locked, installed, toRun }) {
  const all = Object.entries(locked).filter(
    ([path, entry]) => path.includes('node_modules/') && isForMachine(entry) && !entry.peer,
  );
  const running = all.filter(([, { dev }]) => !dev);
  const binaries = Object.keys(locked['']?.optionalDependencies ?? {}).map((name) => `node_modules/${name}`);
  const isMissing = (/** @type {[string, LockedPackage]} */ [path, { version, link, optional }]) => {
    const found = installed[path];
    return found ? found.version !== version || found.link !== link : !optional || binaries.includes(path);
  };
  const missing = (toRun ? running : all).filter(isMissing);
  if (missing.length === 0) return undefined;
  if (toRun && !Object.values(installed).some(({ dev }) => dev)) {
    const sizes = `about ${TO_RUN.disk} MB on disk, up to ${TO_RUN.download} MB to download`;
    return {
      what: `Installing ${count(running)} packages to run the fleet (${sizes})`,
      args: ['ci', ...ALWAYS, '--omit=dev'],
    };
  }
  const everything = [...ALWAYS, '--include=dev'];
  if (running.some(isMissing)) {
    return {
      what: `Installing ${count(all)} packages (about ${ALL_DISK} MB on disk)`,
      args: ['ci', ...everything],
    };
  }
  // Not `npm ci`, which would take the packages away from a fleet that runs.
  return {
    what: `Installing ${count(missing)} more packages (about ${ALL_DISK - TO_RUN.disk} MB on disk)`,
    args: ['install', '--no-save', ...everything],
  };
}

/** @param {LockedPackage} entry */
function isForMachine({ os = process.platform, cpu = process.arch, libc = 'glibc' }) {
  return os.includes(process.platform) && cpu.includes(process.arch) && libc.includes('glibc');
}

/** @param {[string, LockedPackage][]} packages */
function count(packages) {
  return packages.filter(([, { link }]) => !link).length;
}
