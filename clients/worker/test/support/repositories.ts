import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type GitServer, startGitServer } from '@agent-fleet/scripts/testing/git-server';
import { afterEach, beforeEach } from '@jest/globals';
import type { Changes } from '../../src/workspace/changes.ts';
import { changesOf as changesOfClone, prepareWorkspace } from '../../src/workspace/git-workspace.ts';

const AUTHOR = ['-c', 'user.email=author@example.com', '-c', 'user.name=Author', '-c', 'core.autocrlf=false'];

export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', ['-C', folder, ...AUTHOR, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: '/nonexistent' },
  }).trim();
}

export function write(folder: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

type Options = Partial<Parameters<typeof prepareWorkspace>[0]>;

/** A folder with repositories that a real Git server serves, and with what the clones need; it ends with the test. */
export class Repositories {
  root = '';
  server: GitServer = { url: '', requests: [], close() {} };
  #clones = 0;

  constructor() {
    beforeEach(async () => {
      this.root = mkdtempSync(join(tmpdir(), 'fleet-git-'));
      this.server = await startGitServer(this.root);
    });
    afterEach(() => {
      this.server.close();
      rmSync(this.root, { recursive: true, force: true });
    });
  }

  get cache(): string {
    return join(this.root, 'cache');
  }

  path(name: string): string {
    return join(this.root, name);
  }

  url(name = 'repo'): string {
    return `${this.server.url}/${name}/.git`;
  }

  /** Writes files into a repository, which is created if it is missing. Returns the commit. */
  commit(files: Record<string, string | Buffer>, name = 'repo'): string {
    const folder = this.path(name);
    write(folder, files);
    git(folder, 'init', '--quiet', '--initial-branch=main');
    git(folder, 'add', '--all', '--force', '.');
    git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Change');
    return git(folder, 'rev-parse', 'HEAD');
  }

  /** Clones into a new folder. */
  async clone(ref?: string | null, options: Options = {}) {
    const folder = this.path(`attempt-${++this.#clones}/workspace`);
    const env = { PATH: process.env.PATH, HOME: this.path('home') };
    const { cache } = this;
    const clone = await prepareWorkspace({
      workspace: { repository: this.url(), ref },
      folder,
      cache,
      allowed: [this.server.url],
      signal: new AbortController().signal,
      env,
      ...options,
    });
    const changes = (signal = new AbortController().signal) => changesOfClone(clone, { folder, cache, env, signal });
    return { folder, workspace: { clone, changes } };
  }
}

export const changesOf = (workspace: { changes(): Promise<Changes> }) => workspace.changes();
