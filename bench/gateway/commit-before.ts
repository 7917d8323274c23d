import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, serviceNamed } from '@agent-fleet/scripts/services';
import { type MeteredFigures, meter, type Rounds } from '../load/metered.ts';
import { alternate, type Contestant } from '../load/rounds.ts';
import type { Front } from './front.ts';

const run = promisify(execFile);
const REF = process.env.BENCH_BEFORE ?? 'HEAD~1';
const SECONDS = 2;
const ROUNDS = 21;

export interface BeforeResults {
  ref: string;
  figures: Map<'now' | 'before', MeteredFigures>;
  rounds: Rounds;
}

/**
 * How much processor time does a request take in this gateway and in that of an earlier commit (`BENCH_BEFORE`, default
 * `HEAD~1`), in turn, with the packages that are installed here?
 */
export async function measureBefore(front: Front): Promise<BeforeResults> {
  const dir = join(front.stage.makeFolder(), 'before');
  await run('git', ['worktree', 'add', '--detach', dir, REF], { cwd: ROOT });
  try {
    await linkPackages(dir);
    const main = serviceNamed('gateway').main;
    const before = relative(ROOT, join(dir, main));
    const ports = {
      now: await front.startGateway('now', 'quick'),
      before: await front.startGateway('before', 'quick', {}, before),
    };
    const rounds: Rounds = { rounds: 0, disturbed: 0 };
    const contestants = (['now', 'before'] as const).map((name): Contestant<typeof name, MeteredFigures> => {
      const load = () =>
        front.generator.load({ port: ports[name], requests: [front.requests.small], seconds: SECONDS });
      return { name, run: () => meter(front.stage, [name], load, rounds) };
    });
    const { stdout } = await run('git', ['log', '-1', '--format=%h %s', REF], { cwd: ROOT });
    return { ref: stdout.trim(), figures: await alternate(contestants, ROUNDS), rounds };
  } finally {
    await run('git', ['worktree', 'remove', '--force', dir], { cwd: ROOT });
  }
}

/** The installed packages, with this repository's own ones as the commit has them. */
async function linkPackages(dir: string): Promise<void> {
  const own = '@agent-fleet';
  await mkdir(join(dir, 'node_modules', own), { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name !== own) await symlink(join(ROOT, 'node_modules', name), join(dir, 'node_modules', name));
  }
  for (const name of await readdir(join(ROOT, 'node_modules', own))) {
    const installed = await realpath(join(ROOT, 'node_modules', own, name));
    const folder = join(dir, relative(ROOT, installed));
    if (!existsSync(folder)) continue;
    await symlink(folder, join(dir, 'node_modules', own, name));
    const nested = join(installed, 'node_modules');
    if (existsSync(nested)) await symlink(nested, join(folder, 'node_modules'));
  }
}
