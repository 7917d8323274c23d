import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { readCommand } from '@agent-fleet/scripts/testing/command';

export const PYTHON_CLIENT = join(ROOT, 'clients/python');
const REQUIREMENTS = {
  test: join(PYTHON_CLIENT, 'requirements/test.txt'),
  checks: join(PYTHON_CLIENT, 'requirements/checks.txt'),
  chart: join(ROOT, 'e2e/chart/requirements.txt'),
};
const COMMANDS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];
const IS_NEW_ENOUGH = 'import sys; assert sys.version_info >= (3, 11); print(sys.version)';
const INSTALL_TIMEOUT_MS = 300_000;

/** A Python with packages, or why there is none. */
export type Python = { path: string } | { missing: string };

/**
 * A Python 3.11 or newer with the packages of a file of requirements, in a virtual environment in `.data/python`, which
 * is created once. `FLEET_PYTHON` names the Python to use. @throws with `CI=true` when it cannot be created
 */
export async function preparePython(set: keyof typeof REQUIREMENTS): Promise<Python> {
  const found = findPython();
  if (found === undefined) return { missing: 'Python 3.11 is not installed' };
  const requirements = REQUIREMENTS[set];
  const digest = createHash('sha256').update(found.version).update(readFileSync(requirements)).digest('hex');
  const folder = join(ROOT, `.data/python/${set}-${digest.slice(0, 12)}`);
  const path = join(folder, 'bin/python');
  if (existsSync(path)) return { path };
  try {
    await createEnvironment(found.command, requirements, folder);
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    const [firstLine] = String(error).split('\n');
    return { missing: `Python has no venv, or its packages cannot be installed (${firstLine})` };
  }
  removeOthers(folder, `${set}-`);
  return { path };
}

function findPython(): { command: string; version: string } | undefined {
  const { FLEET_PYTHON } = process.env;
  for (const command of FLEET_PYTHON ? [FLEET_PYTHON] : COMMANDS) {
    const { status, stdout } = spawnSync(command, ['-c', IS_NEW_ENOUGH], { encoding: 'utf8' });
    if (status === 0) return { command, version: stdout };
  }
  if (FLEET_PYTHON) throw new Error(`${FLEET_PYTHON} is not Python 3.11 or newer`);
  return undefined;
}

/** Two test files may do this at the same time: the first one to finish wins. */
async function createEnvironment(command: string, requirements: string, folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(join(dirname(folder), 'draft-'));
  try {
    await readCommand(command, ['-m', 'venv', draft]);
    const install = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'];
    await readCommand(join(draft, 'bin/python'), [...install, '--require-hashes', '-r', requirements], {
      timeoutMs: INSTALL_TIMEOUT_MS,
    });
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Those of earlier requirements. */
function removeOthers(folder: string, prefix: string): void {
  const others = readdirSync(dirname(folder)).filter((name) => name.startsWith(prefix) && name !== basename(folder));
  for (const name of others) rmSync(join(dirname(folder), name), { recursive: true, force: true });
}
