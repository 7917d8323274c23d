import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath } from '../local/system-packages.mjs';
import { ROOT } from '../services.ts';

const CACHE = join(ROOT, 'node_modules/.cache/agent-fleet/promtool');
/** Debian 13 has a package of its own for it. */
const PACKAGES = ['promtool', 'prometheus'];
const TIMEOUT_MS = 120_000;

/** promtool, or why there is none. */
export type Promtool = { path: string } | { missing: string };

/**
 * The promtool of `PROMTOOL` or of PATH. If there is none, takes it from Debian's package without installing that: it
 * would start Prometheus.
 */
export function findPromtool(): Promtool {
  const path = process.env.PROMTOOL || findOnPath(['promtool']) || unpacked() || download();
  return path ? { path } : { missing: 'promtool is not on PATH, and apt-get cannot download it' };
}

function unpacked(): string | undefined {
  const path = join(CACHE, 'usr/bin/promtool');
  return existsSync(path) ? path : undefined;
}

function download(): string | undefined {
  if (!findOnPath(['apt-get']) || !findOnPath(['dpkg'])) return undefined;
  mkdirSync(join(CACHE, '..'), { recursive: true });
  const dir = mkdtempSync(`${CACHE}-`);
  try {
    const hasPackage =
      PACKAGES.some((name) => run(dir, 'apt-get', 'download', name)) ||
      (run(dir, 'apt-get', 'update') && PACKAGES.some((name) => run(dir, 'apt-get', 'download', name)));
    const file = readdirSync(dir).find((name) => name.endsWith('.deb'));
    if (!hasPackage || !file || !run(dir, 'dpkg', '-x', file, '.')) return undefined;
    rmSync(join(dir, file));
    rmSync(CACHE, { recursive: true, force: true });
    renameSync(dir, CACHE);
    return unpacked();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function run(cwd: string, command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { cwd, stdio: 'ignore', timeout: TIMEOUT_MS }).status === 0;
}
