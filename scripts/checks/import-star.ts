import { dirname, join } from 'node:path/posix';
import { WORKSPACES } from './source-files.ts';

/** These may import every workspace. */
const SEE_ALL = ['e2e', 'bench'];
/** These import `access` too: what identity writes about callers, and the gateway and the audit trail read. */
const SEE_ACCESS = /^(gateway|services\/.*)$/;
/** These do not import `shared`: clients know the fleet by its HTTP API only. */
const WITHOUT_SHARED = /^(shared|clients\/.*)$/;
/** Tests of any workspace may also import these: ports, processes and a Redis on this machine. */
const TEST_SUPPORT = /^@agent-fleet\/((shared|access)\/testing|scripts\/(local|testing))\//;
const TESTS = /\/test\/|\.test\.ts$/;
const PACKAGE = /^@agent-fleet\/([^/]+)/;
/** `from '…'`, `import '…'`, `import('…')` and `require('…')`. */
const SPECIFIERS = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"`])([^'"`\n]+)\1/g;
/** Run before the packages are installed, so they find other workspaces by their paths. */
const BEFORE_INSTALL = ['scripts/run.mjs', 'clients/cli/bin/fleet.mjs'];

/**
 * The imports of a file that break the star: gateway, services and scripts import `shared`, gateway and services
 * `access`, which imports `shared` alone, clients the SDK, the CLI
 * also the worker, both of them also `skills`, and only `e2e` and `bench` all, always by the name of its package.
 * `file` is relative to the root, with slashes.
 */
export function starViolations(file: string, source: string): string[] {
  const from = workspaceOf(file);
  return specifiersOf(source)
    .filter((specifier) => !(TESTS.test(file) && TEST_SUPPORT.test(specifier)))
    .map((specifier) => ({ specifier, to: targetOf(file, specifier), isPath: specifier.startsWith('.') }))
    .filter(
      ({ to, isPath }) =>
        to !== undefined && to !== from && (!mayImport(from, to) || (isPath && !BEFORE_INSTALL.includes(file))),
    )
    .map(({ specifier }) => `${file} imports ${specifier}`);
}

function mayImport(from: string | undefined, to: string): boolean {
  if (from === undefined || !WORKSPACES.includes(to)) return false;
  if (to === 'access') return SEE_ALL.includes(from) || SEE_ACCESS.test(from);
  if (to === 'clients/sdk') return SEE_ALL.includes(from) || from.startsWith('clients/');
  if (to === 'clients/worker') return SEE_ALL.includes(from) || from === 'clients/cli';
  if (to === 'clients/skills') return SEE_ALL.includes(from) || ['clients/cli', 'clients/worker'].includes(from);
  return SEE_ALL.includes(from) || (to === 'shared' && !WITHOUT_SHARED.test(from));
}

export function specifiersOf(source: string): string[] {
  return [...source.matchAll(SPECIFIERS)].map(([, , specifier = '']) => specifier);
}

/**
 * The workspace that a specifier leads to, the path itself when it leads outside of all; undefined for other people's
 * packages.
 */
function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const path = join(dirname(file), specifier);
    return workspaceOf(path) ?? path;
  }
  const name = PACKAGE.exec(specifier)?.[1];
  return name && (WORKSPACES.find((workspace) => workspace.split('/').at(-1) === name) ?? name);
}

function workspaceOf(path: string): string | undefined {
  return WORKSPACES.find((workspace) => path.startsWith(`${workspace}/`));
}
