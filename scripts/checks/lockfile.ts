// npm drops the platforms that are not this machine's from package-lock.json when it installs beside an existing
// node_modules (npm/cli issue 4828), and `npm ci` then fails everywhere. `node scripts/checks/lockfile.ts` puts them
// back.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface LockEntry {
  version?: string;
  dev?: boolean;
  peer?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}
export type LockedPackages = Record<string, LockEntry>;

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const LOCK_FILE = fromRoot('package-lock.json');
/** Also of programs that only tests install. */
export const LOCK_FILES = [LOCK_FILE, fromRoot('e2e/runtimes/programs/package-lock.json')];
/** Suffixes of packages for one platform: `linux-x64-musl`, `darwin-arm64`. */
const PLATFORM =
  /(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|x64|ia32|ppc64|riscv64|s390x|loong64)(?:-(\w+))?$/;

if (import.meta.main) {
  for (const file of LOCK_FILES) {
    const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: LockedPackages };
    const added = missingPlatforms(lock.packages);
    const packages = Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => a.localeCompare(b, 'en'));
    writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
    console.log(`${Object.keys(added).length} entries added to ${file}`);
  }
}

/**
 * The entries that `npm ci` requires and the lock file lacks. They have no checksum, which only a registry could
 * supply.
 */
export function missingPlatforms(packages: LockedPackages): LockedPackages {
  const missing: LockedPackages = {};
  for (const [path, { dev, optionalDependencies = {} }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (isLocked(packages, path, name)) continue;
      missing[`node_modules/${name}`] = toEntry(name, version, dev);
    }
  }
  return missing;
}

/** Whether a package required from `path` is found in its node_modules or in one above. */
function isLocked(packages: LockedPackages, path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    if (packages[`${folder && `${folder}/`}node_modules/${name}`]) return true;
    if (folder === '') return false;
  }
}

function toEntry(name: string, version: string, dev: boolean | undefined) {
  const [, os, cpu, abi] = PLATFORM.exec(name) ?? [];
  const libc = os === 'linux' && abi ? { libc: [abi.startsWith('musl') ? 'musl' : 'glibc'] } : {};
  return { version, cpu: [cpu], ...(dev && { dev }), ...libc, optional: true, os: [os] };
}
