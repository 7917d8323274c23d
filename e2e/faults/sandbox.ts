import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { platform } from 'node:os';
import { startChild } from '@agent-fleet/scripts/local/child-process';
import { findRedis } from '@agent-fleet/scripts/local/redis-server';
import { findOnPath, installSystemPackage } from '@agent-fleet/scripts/local/system-packages';

const MARK = 'E2E_FAULTS_SANDBOX';
const FLAGS = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** Commands with the Debian packages that have them. */
const TOOLS = { haproxy: 'haproxy', iptables: 'iptables', ip: 'iproute2', gcc: 'gcc', unshare: 'util-linux' };

export const isInSandbox = process.env[MARK] !== undefined;

/** Why this machine cannot run it; undefined when it can. Installs the tools that are missing. */
export function findObstacle(): string | undefined {
  if (platform() !== 'linux' || process.getuid?.() !== 0)
    return 'The fault runner needs Linux and root: it cuts networks, fills disks and moves clocks.';
  findRedis(console.log);
  const isMissing = (tool: string) => findOnPath([tool]) === undefined;
  for (const [tool, name] of Object.entries(TOOLS)) {
    if (isMissing(tool)) installSystemPackage({ 'apt-get': name }, console.log);
  }
  // The C library's headers are a package of their own.
  if (findOnPath(['gcc']) && !hasHeaders()) installSystemPackage({ 'apt-get': 'libc6-dev' }, console.log);
  const missing = Object.keys(TOOLS).filter(isMissing);
  return missing.length > 0 ? `The fault runner needs ${missing.join(', ')} on PATH.` : undefined;
}

function hasHeaders(): boolean {
  try {
    execFileSync('gcc', ['-E', '-include', 'time.h', '-x', 'c', '/dev/null'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs this program again in namespaces of its own: its networks and mounts are invisible outside, and everything ends
 * with it, even by kill -9. `args` are added. Resolves with its exit code.
 */
export async function runInSandbox(args: readonly string[]): Promise<number> {
  const child = startChild('unshare', [...FLAGS, process.execPath, ...process.argv.slice(1), ...args], {
    env: { ...process.env, [MARK]: '1' },
    output: 'inherit',
    graceSeconds: 0,
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void child.kill());
  return (await child.exited).code;
}

/** Mounts an empty /run, for data and the names of networks. */
export function prepareSandbox(): void {
  run('mount', '-t', 'tmpfs', 'tmpfs', '/run');
  mkdirSync('/run/netns');
  run('ip', 'link', 'set', 'lo', 'up');
}

export function removeSandbox(): void {
  run('umount', '/etc/hosts');
  run('umount', '--recursive', '--lazy', '/run');
}

/** Runs a short command. @throws with what it printed */
export function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
